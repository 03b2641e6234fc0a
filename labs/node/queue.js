//lab:given 02

// Queue is what client-go's work queue is. It holds a key once, however often it is added,
// and hands it to one worker at a time: what is added while its key is worked on comes
// after that.
export class Queue {
  #waiting = new Set();
  #working = new Set();
  #again = new Set(); // added while worked on
  #idle = []; // workers without work

  // add a key, for the next free worker.
  add(key) {
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#waiting.add(key);
    this.#hand();
  }

  // get waits for a key. Until it is done no other worker gets it.
  get() {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#hand();
    });
  }

  // done tells that the work on a key is.
  done(key) {
    this.#working.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  #hand() {
    while (this.#idle.length > 0 && this.#waiting.size > 0) {
      const [key] = this.#waiting;
      this.#waiting.delete(key);
      this.#working.add(key);
      this.#idle.shift()(key);
    }
  }
}
