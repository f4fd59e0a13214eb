// Search in pages that are opened as files. Browsers start no workers there, so the worker's script runs in a hidden frame.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inner = frame.contentWindow, script = inner.document.createElement("script");
      inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
      inner.importScripts = () => undefined;
      this.inner = new Promise(loaded => (script.onload = () => loaded(inner)));
      script.src = url;
      inner.document.body.appendChild(script);
    }
    postMessage(data) {
      this.inner.then(inner => inner.dispatchEvent(new MessageEvent("message", {data})));
    }
  };
