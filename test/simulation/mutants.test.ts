import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const CHECKOUT = join(import.meta.dirname, '../..');
const FOLDER = join(import.meta.dirname, 'mutants');
const names = readdirSync(FOLDER).sort();

describe('the deliberate defects', () => {
  it('are numbered from the first to the last', () => {
    expect(names.map((name) => Number(name.slice(0, 2)))).toEqual(
      Array.from({ length: 94 }, (_, index) => index + 1),
    );
  });

  it('include each finding that the simulation has to find', () => {
    const first = names.map((name) => firstLineOf(name)).join('\n');
    const findings = ['M2', 'M5', 'M6', 'M7', 'M8', 'M9', 'M10', 'M12', 'E1', 'E2', 'W2', 'W3'];
    for (const finding of findings) expect(first).toContain(`(${finding})`);
  });

  it.each(names)(
    '%s says in words what it breaks, and applies to the product alone',
    async (name) => {
      expect(firstLineOf(name)).toMatch(/^\S.+\.$/);
      const { stdout } = await promisify(execFile)(
        'git',
        ['apply', '--check', '--numstat', join(FOLDER, name)],
        { cwd: CHECKOUT },
      );
      const files = stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t').at(2));
      for (const file of files) expect(file).toMatch(/^(src|connectors)\//);
    },
  );
});

function firstLineOf(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8').split('\n').at(0) ?? '';
}
