/* Browsers start no worker from a folder (file://). There the search runs in a hidden frame instead, which takes
   and gives messages as a worker does. Material for MkDocs would load a script for this from the internet. */
class FrameWorker extends EventTarget {
  constructor(url) {
    super();
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    document.body.append(this.frame);
    this.inside = this.frame.contentWindow;
    this.inside.postMessage = (data) => tell(this, data);
    this.inside.importScripts = async (...urls) => {
      for (const one of urls) await this.run(one);
    };
    this.ready = this.run(new URL(url, document.baseURI).href);
  }

  run(url) {
    return new Promise((resolve, reject) => {
      const script = this.inside.document.createElement("script");
      Object.assign(script, { src: url, onload: resolve, onerror: reject });
      this.inside.document.body.append(script);
    });
  }

  postMessage(data) {
    this.ready.then(() => tell(this.inside, data));
  }

  terminate() {
    this.frame.remove();
  }
}

function tell(target, data) {
  setTimeout(() => target.dispatchEvent(new MessageEvent("message", { data })));
}

if (location.protocol === "file:") window.Worker = FrameWorker;
