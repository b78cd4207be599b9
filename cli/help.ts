import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ExitName, exitCodes, exitMeanings } from './exit.ts';

export function helpText(): string {
  const exits = (Object.keys(exitCodes) as ExitName[]).map(
    (name) => `  ${String(exitCodes[name]).padStart(3)}  ${exitMeanings[name]}`,
  );
  return `${usage}\nExit codes\n${exits.join('\n')}\n`;
}

export function versionText(): string {
  const path = fileURLToPath(import.meta.resolve('troupe/package.json'));
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  return `troupe ${version}\n`;
}

const usage = `troupe surveys a folder with agents that delegate to subagents.

  troupe run [DIR] ["question"] [--model provider/name] [--json] [--new]
      Surveys DIR, or the current folder, and prints a report in Markdown. With --json, one object that holds it.
      A survey whose process died is finished, unless the question is another one, or --new asks for a new one.
  troupe ls [--tree] [--dir DIR]
      Lists the top-level sessions of a folder, with --tree also those below them.
  troupe show ID [--dir DIR]
      Prints one session: header, transcript, result.
  troupe check [--dir DIR]
      Checks that all sessions of a folder obey the contract of the library; each problem is a line.
  troupe send ID "text" [--dir DIR] [--model provider/name]
      Sends a message to an agent that has settled, and prints its answer.
  troupe help | --help, troupe --version

Without --model, and without TROUPE_MODEL, a rule-based model that is part of the program does the work: no network, no key.
With one, the package @ai-sdk/<provider> is loaded; install it beside troupe.
Sessions are kept in .troupe/sessions.db in the folder.

In a checkout: npm start -- [DIR] ["question"] is troupe run, npm run troupe -- ls is troupe ls.
npm prints a banner first; npm start --silent -- --json prints the object alone.
`;
