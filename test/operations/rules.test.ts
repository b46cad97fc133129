/** Compares all operations with the table of rules: in their declarations, in the terminal, and in the API's routes. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/interfaces/cli/commands.ts';
import { OPERATIONS } from '../../src/operations/catalogue.ts';
import { listFields } from '../../src/operations/kit/input-fields.ts';
import { asksFirst } from '../../src/operations/kit/operation.ts';
import { ROUTES } from '../interfaces/api/route-table.ts';
import { commandDeps } from '../interfaces/cli/run-command.ts';
import { RULES } from './rules.ts';

const PATHS_THAT_ASK = new Set(
  Object.values(RULES)
    .filter(({ asks }) => asks)
    .map(({ route }) => pathOf(route)),
);

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guides/http-api.md'), 'utf8');

const rows = OPERATIONS.map((operation) => ({ name: operation.name, operation }));

/**
 * CRMs call the operations of doors, and users manage their own links under *My account*. Doors and links have separate
 * routes and rules (`test/interfaces/api/doors`).
 */
const NOT_LISTED = ['kit/**', 'doors/**', 'catalogue.ts'];

describe('the operations', () => {
  it('are all in the table of rules, each once, and the table has no others', () => {
    expect(OPERATIONS.map(({ name }) => name).sort()).toEqual(Object.keys(RULES).sort());
  });

  it('are all in the catalogue, so every test that goes through it has them', async () => {
    const folder = join(import.meta.dirname, '../../src/operations');
    const declared = new Set<unknown>();
    for (const file of globSync('**/*.ts', { cwd: folder, exclude: NOT_LISTED })) {
      const exported: Record<string, unknown> = await import(join(folder, file));
      for (const one of Object.values(exported)) if (isOperation(one)) declared.add(one.name);
    }
    expect([...declared].sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
  });

  it.each(rows)('$name is declared as the rules say', ({ name, operation }) => {
    const { role, reach, by, effect } = operation;
    expect({ role, reach, by, effect, asks: asksFirst(operation) }).toEqual({
      role: RULES[name]?.role,
      reach: RULES[name]?.reach,
      by: RULES[name]?.by,
      effect: RULES[name]?.effect,
      asks: RULES[name]?.asks,
    });
  });

  it.each(rows)('$name has its route, for the same callers', ({ name }) => {
    const { route = '', role, reach, by, asks } = RULES[name] ?? {};
    const expected = {
      role,
      ...(reach === 'all' && { about: 'all' }),
      ...(by === 'person' && { by }),
    };
    expect(ROUTES[route], route).toMatchObject(expected);
    const preview = `POST ${pathOf(route)}/preview`;
    if (asks) expect(ROUTES[preview], preview).toMatchObject(expected);
    else if (!PATHS_THAT_ASK.has(pathOf(route))) expect(ROUTES[preview]).toBeUndefined();
  });

  it.each(rows)('$name is in the guide of the HTTP API', ({ name }) => {
    const [method = '', path = ''] = (RULES[name]?.route ?? '').split(' ');
    const steps = path.slice(1).split('/');
    const whole = steps
      .map((step) => (step.startsWith(':') ? '(?:[A-Z]+|approve)' : step))
      .join('/');
    // A row can contain several routes, such as `POST /v1/users/USER/disable`, `…/enable`.
    const words = steps.filter((step) => !step.startsWith(':')).slice(-2);
    const short = `(${method} )?…/(${words[0]}/)?${words[1]}`;
    expect(GUIDE).toMatch(new RegExp(`\`(${method} /${whole}|${short})[\`?]`));
  });

  it.each(rows)('$name has its command, with a description of each option', async (row) => {
    const words = row.name.split(' ');
    let command: Command | undefined = await loadCommand(words[0] ?? '');
    for (const word of words.slice(1)) {
      command = command?.commands.find((one) => one.name() === word);
    }
    expect(command?.description()).toBe(row.operation.summary);
    const typed = new Set<string>([
      ...(command?.registeredArguments ?? []).map((argument) => argument.name()),
      ...(command?.options ?? []).map((option) => option.attributeName()),
    ]);
    for (const { key, kind, description } of listFields(row.operation.input)) {
      // A user never types a secret, so its option names an environment variable.
      const asTyped = kind === 'secret' ? `${key}Env` : kind === 'document' ? 'file' : key;
      expect(typed, key).toContain(asTyped);
      expect(typed.has(key), key).toBe(asTyped === key);
      expect(description, key).not.toBe('');
    }
    // A command may ask for confirmation before actions that the API performs immediately.
    if (asksFirst(row.operation)) expect(typed).toContain('yes');
  });
});

function isOperation(value: unknown): value is { name: string } {
  const keys = ['name', 'summary', 'role', 'effect', 'input', 'run'];
  return typeof value === 'object' && value !== null && keys.every((key) => key in value);
}

/** Returns the path of a route without its method. */
function pathOf(route: string): string {
  return route.split(' ')[1] ?? '';
}

async function loadCommand(name: string): Promise<Command> {
  const entry = COMMANDS.find((one) => one.name === name);
  return entry
    ? entry.load({ ...commandDeps({ cwd: import.meta.dirname }), timezone: () => 'UTC' })
    : new Command(name);
}
