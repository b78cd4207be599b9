/** Several real processes on one store: who may write, what a killed one leaves, what a frozen one finds (P20, R4, R7). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable, Writable } from 'node:stream';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SessionStore } from '../../src/sessions/store.ts';
import { isProvablyDead, thisProcess } from '../../src/sessions/stores/sqlite/liveness.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { manualClock } from '../support/manual-clock.ts';
import { header, inserted, sessionId } from './samples.ts';
import { startProcess, startStoreProcess } from './store-processes.ts';
import { tempFolder } from './temp-folder.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // disks and processes: slow on a busy machine
/** Waits on a condition, not on time: the bound only ends a test that would hang. */
const patient = { timeout: 30_000, interval: 5 };

const contests = 20;
const s1 = sessionId('s1');
let path: string;

beforeEach(() => {
  path = join(tempFolder(), 'store.db');
});

function openStore(options: { clock?: ReturnType<typeof manualClock> } = {}): SessionStore {
  const store = sqliteStore({ path, ...options });
  onTestFinished(() => store.close());
  return store;
}

describe('two processes', () => {
  test('that make the same file at the same moment both get the one store', async () => {
    for (let round = 0; round < 3; round++) {
      const file = `${path}-${round}.db`;
      const both = [startProcess(), startProcess()];
      expect(await Promise.all(both.map((one) => one.call('open', { path: file })))).toEqual([undefined, undefined]);
      await both[0]?.call('create', header('s1'), 'a', [inserted('m0')]);
      expect(await both[1]?.call('read', s1)).toHaveLength(1);
    }
  });

  test(`that claim the same session: one wins, the other gets BUSY, ${contests} times (P20, R4)`, async () => {
    const store = openStore();
    const both = [await startStoreProcess({ path }), await startStoreProcess({ path })];
    for (let contest = 0; contest < contests; contest++) {
      const id = sessionId(`s${contest}`);
      await store.create(header(id), 'parent', [inserted('m0')]);
      await store.handBack(id, 1);
      const answers = await Promise.all(both.map((one, index) => one.call('claim', id, `owner-${index}`)));
      expect(answers).toContain('BUSY');
      expect(answers).toContainEqual({ seq: 1, epoch: 2 });
      const appends = await Promise.all(
        both.map((one, index) => one.call('append', id, { seq: 1, epoch: answers[index] === 'BUSY' ? 1 : 2 }, [inserted('m1')])),
      );
      expect(appends).toEqual(answers.map((answer) => (answer === 'BUSY' ? 'FENCED' : undefined)));
      expect((await store.read(id)).map(({ seq }) => seq)).toEqual([0, 1]);
    }
  });

  test(`that append at the same place: one is fenced, the log has the other's event, ${contests} times (P20)`, async () => {
    const store = openStore();
    const both = [await startStoreProcess({ path }), await startStoreProcess({ path })];
    for (let contest = 0; contest < contests; contest++) {
      const id = sessionId(`s${contest}`);
      await store.create(header(id), 'parent', []);
      const answers = await Promise.all(
        both.map((one, index) => one.call('append', id, { seq: 0, epoch: 1 }, [inserted(`from-${index}`)])),
      );
      expect([...answers].sort()).toEqual(['FENCED', undefined]);
      expect(await store.read(id)).toEqual([{ seq: 0, ...inserted(`from-${answers.indexOf(undefined)}`) }]);
    }
  });

  test('that write without pause both get on, and no append is lost', async () => {
    const both = [await startStoreProcess({ path }), await startStoreProcess({ path })];
    const all = both.flatMap((one, index) =>
      Array.from({ length: 20 }, async (_, lane) => {
        const id = `s${index}-${lane}`;
        await one.call('create', header(id), `owner-${index}`, []);
        for (let seq = 0; seq < 10; seq++)
          expect(await one.call('append', id, { seq, epoch: 1 }, [inserted('m')])).toBeUndefined();
        return id;
      }),
    );
    const store = openStore();
    for (const id of await Promise.all(all)) expect(await store.read(sessionId(id))).toHaveLength(10);
  });
});

describe('a killed process', () => {
  test('holds its sessions while it lives and no moment longer: they can be claimed at once', async () => {
    const store = openStore();
    const owner = await startStoreProcess({ path });
    await owner.call('create', header('s1'), 'owner', [inserted('m0')]);
    await expect(store.claim(s1, 'heir')).rejects.toMatchObject({ code: 'BUSY' });
    expect(await store.pending()).toEqual([]);
    await owner.kill();
    expect((await store.pending()).map((one) => one.header.id)).toEqual(['s1']);
    expect(await store.claim(s1, 'heir')).toEqual({ seq: 1, epoch: 2 });
    const database = new DatabaseSync(path, { readOnly: true });
    expect(database.prepare('select id from owner').all()).toEqual([{ id: 'heir' }]); // the dead leave nothing behind
    database.close();
  });

  test('loses no append that it was told of, whenever it dies (S10.1, R1)', async () => {
    for (let round = 0; round < 5; round++) {
      const id = sessionId(`s${round}`);
      const owner = await startStoreProcess({ path });
      await owner.call('create', header(id), `owner-${round}`, []);
      let acknowledged = 0;
      const limit = 3 + round * 11;
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
      for (let seq = 0; seq < 200; seq++) {
        void owner.call('append', id, { seq, epoch: 1 }, [inserted(`m${seq}`)]).then(() => {
          if (++acknowledged === limit) reach();
        });
      }
      await reached;
      await owner.kill();
      const store = sqliteStore({ path });
      const log = await store.read(id);
      expect(log.length).toBeGreaterThanOrEqual(acknowledged);
      expect(log).toEqual(log.map((_, seq) => ({ seq, ...inserted(`m${seq}`) })));
      expect(await store.claim(id, 'heir')).toEqual({ seq: log.length, epoch: 2 });
      await store.close();
    }
  });
});

test.runIf(process.platform === 'linux')(
  'a frozen process keeps its sessions until its lease ends; thawed it is fenced and writes nothing (P20)',
  {
    timeout: 30_000,
  },
  async () => {
    const clock = manualClock(Date.now());
    const store = openStore({ clock });
    const owner = await startStoreProcess({ path, leaseMs: 60_000 });
    await owner.call('create', header('s1'), 'owner', [inserted('m0')]);
    owner.freeze();
    await expect.poll(() => statOf(owner.pid)?.state, patient).toBe('T');
    await expect(store.claim(s1, 'heir')).rejects.toMatchObject({ code: 'BUSY' });
    const late = [
      owner.call('append', s1, { seq: 1, epoch: 1 }, [inserted('late')]),
      owner.call('check', s1, 1),
      owner.call('remove', s1, 1),
    ];
    clock.advance(120_000);
    const lease = await store.claim(s1, 'heir');
    expect(lease).toEqual({ seq: 1, epoch: 2 });
    owner.thaw();
    expect(await Promise.all(late)).toEqual(['FENCED', 'FENCED', 'FENCED']);
    expect(await store.read(s1)).toEqual([{ seq: 0, ...inserted('m0') }]);
    await store.append(s1, lease, [inserted('m1')]);
  },
);

describe('whether a process is dead', () => {
  const here = thisProcess();

  test('this one is not', () => {
    expect(isProvablyDead(here, here)).toBe(false);
  });

  test('one that has exited is; one that runs is not', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(other, 'spawn');
    const identity = { pid: other.pid ?? 0, started: startedOf(other.pid ?? 0), host: here.host };
    expect(isProvablyDead(identity, here)).toBe(false);
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect(isProvablyDead(identity, here)).toBe(true);
  });

  test('a pid that another process has now is (by its start, R5)', () => {
    expect(isProvablyDead({ ...here, pid: process.ppid, started: '1' }, here)).toBe(process.platform === 'linux');
    expect(isProvablyDead({ ...here, pid: process.ppid, started: '' }, here)).toBe(false);
  });

  test('nothing is known of another host, or of one without a name', () => {
    expect(isProvablyDead({ pid: 2 ** 30, started: '1', host: 'elsewhere' }, here)).toBe(false);
    expect(isProvablyDead({ pid: 2 ** 30, started: '1', host: '' }, { ...here, host: '' })).toBe(false);
  });

  test.runIf(process.platform === 'linux')('one that was killed and not yet collected by its parent is', async () => {
    // The shell becomes a program that never collects its children, and only then is the child let go.
    const parent = spawn('sh', ['-c', 'read line <&3 & echo $!; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = await once(parent.stdout as Readable, 'data');
    const pid = Number(String(line).trim());
    const identity = { pid, started: startedOf(pid), host: here.host };
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/cmdline`, 'utf8'), patient).toMatch(/^sleep/);
    expect(isProvablyDead(identity, here)).toBe(false);
    (parent.stdio[3] as Writable).end();
    await expect.poll(() => isProvablyDead(identity, here), patient).toBe(true);
    expect(() => process.kill(pid, 0)).not.toThrow(); // the system still knows it
  });
});

/** Fields 3 and 22 of the kernel's record of a process (proc_pid_stat(5)). */
function statOf(pid: number): { state: string | undefined; started: string | undefined } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], started: fields[19] };
}

function startedOf(pid: number): string {
  return process.platform === 'linux' ? (statOf(pid).started ?? '') : '';
}
