import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const CHECKOUT = join(import.meta.dirname, '../..');
const MAIN = join(import.meta.dirname, 'main.ts');
const MUTANTS = join(import.meta.dirname, 'mutants');

describe('histories around the erasure of a person', () => {
  it('leave nothing of the person', async () => {
    const args = [MAIN, '--seed', '2000', '--histories', '100', '--minutes', '0.25'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toMatch(/^\d+ histories in .*, 0 failed/);
  });

  it.each(readdirSync(MUTANTS))(
    'have a deliberate defect to find, which applies: %s',
    async (name) => {
      const path = join(MUTANTS, name);
      expect(readFileSync(path, 'utf8')).toMatch(/^[A-Z].+\.\n/);
      await promisify(execFile)('git', ['apply', '--check', path], { cwd: CHECKOUT });
    },
  );
});
