// What changed in the cluster, while somebody looks: no connection while paused or hidden.

import { BASE } from "./api.js";

/** Connection to the stream of changes. */
export class Live {
  /** `onChange` is called with what changed, or with null if anything may have. */
  constructor(onChange, onState) {
    this.onChange = onChange;
    this.onState = onState;
    this.isPaused = false;
    this.source = null;
    document.addEventListener("visibilitychange", () => this.adjust());
  }

  pause(isPaused) {
    this.isPaused = isPaused;
    this.adjust();
  }

  adjust() {
    const isWanted = !this.isPaused && !document.hidden;
    if (isWanted && this.source === null) this.open();
    if (!isWanted && this.source !== null) this.close();
    if (this.isPaused) this.onState("paused");
  }

  open() {
    this.onState("connecting");
    this.source = new EventSource(`${BASE}/changes`);
    this.source.addEventListener("open", () => {
      this.onState("live");
      this.onChange(null);
    });
    this.source.addEventListener("changes", (event) => this.onChange(JSON.parse(event.data)));
    this.source.addEventListener("error", () => {
      this.onState("offline");
      // A browser gives up on some errors; the cluster may come back.
      if (this.source?.readyState === EventSource.CLOSED) {
        this.close();
        setTimeout(() => this.adjust(), 2000);
      }
    });
  }

  close() {
    this.source?.close();
    this.source = null;
  }
}
