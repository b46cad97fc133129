/** Runs the commands, and records their exit codes and output. */
import { COMMAND_CASES, type CommandCase, hasHelpAlone, listCommandNames } from './commands.ts';
import type { Entry } from './entries.ts';
import { createReplacer } from './placeholders.ts';
import { fill } from './requests.ts';
import { shorten } from './shorten.ts';
import type { CommandEnd, World } from './world.ts';

/** Longer outputs are cut, because they are tables of similar rows. */
const MAX_LINES = 50;

/** Fails if a command has no case. */
export async function recordCommands(world: World): Promise<Entry[]> {
  const names = await listCommandNames();
  const without = names.filter((name) => !hasHelpAlone(name) && !COMMAND_CASES[name]);
  if (without.length > 0) throw new Error(`commands without a case: ${without.join(', ')}`);
  const entries: Entry[] = [];
  for (const name of names) {
    entries.push(await runOne(world, name, 'help', { args: ['--help'] }, false));
    for (const [word, given] of Object.entries(COMMAND_CASES[name] ?? {})) {
      for (const isJson of [false, true])
        entries.push(await runOne(world, name, word, given, isJson));
    }
  }
  return entries;
}

async function runOne(
  world: World,
  name: string,
  word: string,
  { args, user, typed: before = name }: CommandCase,
  isJson: boolean,
): Promise<Entry> {
  const typed = [...before.split(' '), ...args, ...(isJson ? ['--json'] : [])];
  const open = await world.openFolder();
  try {
    const filled = typed.map((text) => fill(text, world.values));
    const end = await open.run(filled, user === undefined ? {} : { user });
    return {
      kind: 'command',
      as: user ?? 'anna',
      request: typed.map((text) => text.replaceAll('{', '<').replaceAll('}', '>')).join(' '),
      case: word,
      ...readEnd(world, end, isJson),
    };
  } finally {
    await open.close();
  }
}

function readEnd(world: World, { exitCode, stdout, stderr }: CommandEnd, isJson: boolean) {
  const replace = createReplacer(world.known);
  const lines = (text: string) => {
    // Column widths depend on the replaced strings, so several spaces become one space.
    const all = text.split('\n').map((line) =>
      replace(line)
        .replace(/(\S) {2,}/g, '$1  ')
        .trimEnd(),
    );
    const rest = all.length - MAX_LINES;
    return rest > 0 ? [...all.slice(0, MAX_LINES), `<${rest} more lines>`] : all;
  };
  return {
    exitCode,
    stdout: isJson && stdout.trim() !== '' ? readDocument(stdout, replace) : lines(stdout),
    stderr: lines(stderr),
  };
}

/** Parses the single document in the output. Any other output is recorded unchanged. */
function readDocument(stdout: string, replace: (text: string) => string): unknown {
  try {
    return shorten(JSON.parse(stdout), replace);
  } catch {
    return { 'not JSON': shorten(stdout, replace) };
  }
}
