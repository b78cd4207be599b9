/** Models that fail or break off. What the suite plants as secrets begins with `canary-`. */
import type { TurnEnd } from '../../../agents/driver.ts';
import { holds, same } from '../expect.ts';
import { type DriverBench, type DriverCase, endsAs, staysSilent, toolOf } from './bench.ts';
import { call, cut, fail, play, say } from './script.ts';

/** Bytes of UTF-8 (S5.4). */
const diagnosticBytesMax = 4_096;

const planted = { history: 'canary-prompt', instructions: 'canary-instructions', input: 'canary-input', output: 'canary-output' };
const carried = ['canary-message', 'canary-header', 'canary-body', 'canary-cause', 'canary-address'] as const;

export const failureCases: readonly DriverCase[] = [
  {
    name: 'a model call that fails ends the turn as error with a diagnostic that repeats no secret and has at most 4,096 bytes (S5.4, P38)',
    needs: ['fail'],
    async run(bench) {
      const { drive, time } = bench;
      for (const error of failures()) {
        const script = play(fail(error));
        const driven = await drive(script, turnWithSecrets());
        const outcome = await driven.outcome('a turn whose model fails comes to its end');
        judge(endsAs('error', outcome, driven, 'a failure of the model'), bench);
        same(
          JSON.stringify([driven.turn.log, driven.turn.deltas]).includes('canary-'),
          false,
          'what fails is not recorded (P38)',
        );
        same(script.calls.length, 1, 'a turn whose model has failed calls it no more');
        await staysSilent(time, driven);
      }
    },
  },
  {
    name: 'a failure after a tool call keeps the answers and results of the steps before, and says nothing of them (S5.4, P38)',
    needs: ['call', 'fail'],
    async run(bench) {
      const look = toolOf('look', () => planted.output);
      const script = play(call(['look', { at: planted.input }]), fail(richError('x')));
      const driven = await bench.drive(script, { ...turnWithSecrets(), tools: [look] });
      const outcome = await driven.outcome('a turn whose model fails comes to its end');
      judge(endsAs('error', outcome, driven, 'a failure after a tool call'), bench);
      same(
        driven.turn.log.map(({ role }) => role),
        ['assistant', 'tool'],
        'what was recorded before a failure stays (P30)',
      );
    },
  },
  {
    name: 'a diagnostic stays within 4,096 bytes whatever the model failed with (S5.4)',
    needs: ['fail'],
    async run(bench) {
      const driven = await bench.drive(play(fail(richError('é'.repeat(100_000)))));
      const outcome = await driven.outcome('a turn whose model fails comes to its end');
      judge(endsAs('error', outcome, driven, 'a failure with very many words'), bench);
    },
  },
  {
    name: 'an answer that broke off ends the turn as max-tokens or refusal, never as completed, and its text is kept (P04)',
    needs: ['cut'],
    async run(bench) {
      for (const reason of ['max-tokens', 'refusal'] as const) {
        const script = play(cut('so far', reason), say('and on'));
        const driven = await bench.drive(script);
        const end = endsAs(
          reason,
          await driven.outcome('the turn comes to its end'),
          driven,
          `an answer that broke off (${reason})`,
        );
        judge(end, bench);
        same(driven.turn.said, 'so far', 'what was said is kept');
        same(script.calls.length, 1, 'an answer that broke off is the last');
      }
    },
  },
];

function turnWithSecrets() {
  const content = [{ type: 'text', text: planted.history }] as const;
  return { history: [{ role: 'user', content }] as const, instructions: planted.instructions };
}

function failures(): readonly unknown[] {
  return [
    richError('canary-message'),
    'canary-message',
    { message: 'canary-message', toString: () => 'canary-message' },
    undefined,
  ];
}

/** As clients of models throw them: with everything they know. */
function richError(message: string): Error {
  return Object.assign(new Error(message, { cause: new Error('canary-cause') }), {
    name: 'APIError',
    statusCode: 500,
    url: 'https://models.example/v1?key=canary-address',
    responseHeaders: { authorization: 'canary-header' },
    requestBodyValues: { prompt: 'canary-body' },
    responseBody: 'canary-body',
  });
}

function judge({ diagnostic }: TurnEnd, { subject }: DriverBench): void {
  holds(
    typeof diagnostic === 'string' && diagnostic !== '',
    'an end that is not completed says in a diagnostic what happened (S5.4)',
  );
  const bytes = Buffer.byteLength(diagnostic);
  holds(
    bytes <= diagnosticBytesMax,
    `a diagnostic has at most ${diagnosticBytesMax} bytes of UTF-8 (S5.4); this one has ${bytes}`,
  );
  const secrets = [...Object.values(planted), ...carried, ...(subject.secrets ?? [])];
  const leaked = secrets.filter((secret) => diagnostic.includes(secret));
  holds(
    leaked.length === 0,
    `a diagnostic repeats no prompt, tool input, header or environment (S5.4, P38): ${leaked.join(', ')}`,
  );
}
