/**
 * What is left of a store after its files were damaged (R7). A damaged store answers each question as the sound one does, or refuses
 * with a code that says so; anything else is a fault of the store.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../src/errors.ts';
import type { SessionEvent } from '../../src/sessions/event.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { child, header, sessionId } from '../sessions/samples.ts';
import { type Answers, answersOf, clock, type Files, ids, parts, type SoundStore } from './sound-store.ts';

export type Verdict = 'intact' | 'refused at opening' | 'refused when read' | 'refused when written';

const damage = ['SESSION_DAMAGED', 'SESSION_UNSUPPORTED', 'STORE_DAMAGED', 'STORE_UNSUPPORTED'];

export interface BenchOptions {
  /** Whether the store looks through the whole file when it is opened. Default true. */
  readonly isChecked?: boolean;
}

/** A folder in which one damaged copy after the other is laid out and opened. */
export class Bench {
  readonly #path: string;
  readonly #sound: SoundStore;
  readonly #isChecked: boolean;
  constructor(folder: string, sound: SoundStore, { isChecked = true }: BenchOptions = {}) {
    this.#path = mkdtempSync(join(folder, 'bench-'));
    this.#sound = sound;
    this.#isChecked = isChecked;
  }

  /** Opens what is left, asks everything, and says what came of it. Throws for an answer that is wrong, or an error that is no code of damage. */
  async judge(files: Files): Promise<Verdict> {
    const store = this.#open(files);
    if (store === undefined) return 'refused at opening';
    try {
      return verdictOf(await answersOf(store), this.#sound.answers);
    } finally {
      await store.close();
    }
  }

  /** The same, and then goes on with what was intact: writes, closes, opens again, and looks whether all is there, the new with the old. */
  async judgeWriting(files: Files): Promise<Verdict> {
    const verdict = await this.judge(files);
    if (verdict !== 'intact') return verdict;
    const store = this.#open(files);
    if (store === undefined) throw new Error('what was intact is not any more');
    const isWritten = await write(store);
    await store.close();
    const again = this.#open();
    if (again === undefined) return 'refused when written';
    try {
      const answers = await answersOf(again);
      const [log, added] = [JSON.parse(this.#sound.answers.get('read other') ?? '[]'), answers.get('read other') ?? ''];
      const untouched = [...this.#sound.answers].filter(([question]) => /^(read|children of) (root|done|fork)$/.test(question));
      const later = verdictOf(answers, new Map(untouched));
      if (later !== 'intact' || damage.includes(added)) return 'refused when written';
      if (!isWritten) return 'refused when written';
      const expected = JSON.stringify(
        [...log, { seq: log.length, ...child('new') }].map(({ seq, time, type, data }) => ({ seq, time, type, data })),
      );
      if (added !== expected) throw new Error(`the log with what was added is wrong: ${added.slice(-200)}`);
      return 'intact';
    } finally {
      await again.close();
    }
  }

  /**
   * Opens what is left when nothing says how much there was: a whole number of commits from the beginning on, or a refusal. Throws for
   * anything else. Resolves with how many commits are missing, or undefined if it was refused.
   */
  async judgePrefix(files: Files): Promise<number | undefined> {
    const store = this.#open(files);
    if (store === undefined) return undefined;
    try {
      const logs = await Promise.all(ids.map((id) => prefixOf(store, id, this.#sound.answers.get(`read ${id}`) ?? '[]')));
      if (logs.includes('refused')) return undefined;
      const state = JSON.stringify(logs.filter((log) => log !== 'absent'));
      const { states } = this.#sound;
      const found = states.map((one) => JSON.stringify(inOrder(JSON.parse(one)))).lastIndexOf(state);
      if (found === -1) throw new Error(`no commit ended with ${state}`);
      return states.length - 1 - found;
    } finally {
      await store.close();
    }
  }

  /**
   * For a store that is not looked through when it is opened: a session, or an entry of a list, may be missing in silence or come twice,
   * as its documentation says, and owners carry no checksum. Whatever else it answers with is right. Throws if not.
   */
  async judgeUnchecked(files: Files): Promise<void> {
    const store = this.#open(files);
    if (store === undefined) return;
    try {
      const answers = await answersOf(store);
      for (const [question, whole] of this.#sound.answers) {
        const [given, answer] = [withoutOwners(answers.get(question) ?? ''), withoutOwners(whole)];
        if (given === answer || damage.includes(given) || isLess(question, given, answer)) continue;
        throw new Error(`the answer to "${question}" is ${given.slice(0, 200)} and was ${answer.slice(0, 200)}`);
      }
    } finally {
      await store.close();
    }
  }

  #open(files?: Files): SessionStore | undefined {
    if (files !== undefined) this.#layOut(files);
    try {
      return sqliteStore({ path: join(this.#path, 'store.db'), clock, checkOnOpen: this.#isChecked });
    } catch (error) {
      if (damage.includes(errorCode(error) ?? '')) return undefined;
      throw error;
    }
  }

  #layOut(files: Files): void {
    for (const part of parts) {
      const file = join(this.#path, part);
      const bytes = files[part];
      if (bytes === undefined) rmSync(file, { force: true });
      else writeFileSync(file, bytes);
    }
  }
}

function withoutOwners(answer: string): string {
  return answer.replaceAll(/,"owner":"[^"]*"/g, '');
}

/** Whether the answer is that of a store without the session, or a list of some of its entries; one may stand in another's place. */
function isLess(question: string, given: string, answer: string): boolean {
  if (question.startsWith('head of')) return given === '"nothing"';
  if (given === 'SESSION_NOT_FOUND') return true;
  if (question.startsWith('read')) return false;
  const sound = new Set((JSON.parse(answer) as unknown[]).map((entry) => JSON.stringify(entry)));
  return (JSON.parse(given) as unknown[]).every((entry) => sound.has(JSON.stringify(entry)));
}

function verdictOf(answers: Answers, sound: Answers): Verdict {
  const wrong = [...sound].filter(([question, answer]) => answers.get(question) !== answer);
  const altered = wrong.find(([question]) => !damage.includes(answers.get(question) ?? ''));
  if (altered === undefined) return wrong.length === 0 ? 'intact' : 'refused when read';
  const [question, answer] = altered;
  throw new Error(`the answer to "${question}" is ${answers.get(question)?.slice(0, 200)} and was ${answer.slice(0, 200)}`);
}

/** Whether it could: a refusal with any code will do. */
async function write(store: SessionStore): Promise<boolean> {
  try {
    const { seq, epoch } = await store.claim(sessionId('other'), 'owner');
    await store.append(sessionId('other'), { seq, epoch }, [child('new')]);
    await store.create(header('new'), 'owner', [child('its-own')]);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

async function prefixOf(
  store: SessionStore,
  id: (typeof ids)[number],
  whole: string,
): Promise<[string, number] | 'absent' | 'refused'> {
  let log: readonly SessionEvent[];
  try {
    log = await store.read(id);
  } catch (error) {
    const code = errorCode(error) ?? String(error);
    if (code === 'SESSION_NOT_FOUND') return 'absent';
    if (damage.includes(code)) return 'refused';
    throw error;
  }
  if (JSON.stringify(log) !== JSON.stringify((JSON.parse(whole) as unknown[]).slice(0, log.length)))
    throw new Error(`the log of ${id} is no beginning of what it was`);
  return [id, log.length];
}

function inOrder(state: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  return ids.flatMap((id) => state.filter(([name]) => name === id));
}
