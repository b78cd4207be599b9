/** What happened in a run as one number: two runs are the same if and only if their digests are (but for chance). */
import { createHash } from 'node:crypto';

export class Digest {
  readonly #hash = createHash('sha256');
  #waiting: string[] = [];

  add(line: string): void {
    if (this.#waiting.push(line) >= 256) this.#flush();
  }

  /** 64 hexadecimal digits. Takes nothing more. */
  end(): string {
    this.#flush();
    return this.#hash.digest('hex');
  }

  #flush(): void {
    this.#hash.update(`${this.#waiting.join('\n')}\n`);
    this.#waiting = [];
  }
}
