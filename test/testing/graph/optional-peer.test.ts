/** `@xstate/graph` is an optional peer of the package: what does not walk a machine works without it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    if (name === '@xstate/graph') throw Object.assign(new Error('Cannot find @xstate/graph'), { code: 'MODULE_NOT_FOUND' });
    return next(name, context);
  },
});
const { coverage, generatePaths, recordEdges, runSuite } = await import('./src/testing/index.ts');
const { attachmentMachine } = await import('./src/machines/index.ts');
const report = await runSuite({ name: 'a', tests: [{ name: 'runs', run() {} }] });
const { taken } = coverage(attachmentMachine, [[{ type: 'leave.requested' }], recordEdges(attachmentMachine)]);
let error;
try {
  generatePaths(attachmentMachine, { input: { id: 'a', childrenMax: 1 } });
} catch (thrown) {
  error = { code: thrown.code, message: thrown.message };
}
console.log(JSON.stringify({ passed: report.passed, taken: taken.length, error }));
`;

test('without @xstate/graph only path generation fails, and says what is missing', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: new URL('../../..', import.meta.url).pathname,
  });
  expect(JSON.parse(stdout)).toEqual({
    passed: ['runs'],
    taken: 2,
    error: { code: 'MODULE_NOT_FOUND', message: 'Cannot find @xstate/graph' },
  });
});
