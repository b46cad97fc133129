import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { demoCommand } from '../../../src/interfaces/cli/commands/demo/demo.ts';
import { runCommand } from './run-command.ts';

const documentSchema = z.object({
  folder: z.string(),
  returns: z.array(z.string()),
  people: z.number(),
  run: z.looseObject({ status: z.string() }),
  contacts: z.array(
    z.object({
      name: z.string(),
      explanation: z.string(),
      written: z.record(z.string(), z.string()),
    }),
  ),
});

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

describe('demo --public-record', () => {
  it('imports a return of each form, and enhances and connects contacts through them', async () => {
    const { exitCode, stdout } = await runCommand(
      demoCommand,
      ['demo', '--public-record', '--once', '--json'],
      { cwd: tmpdir() },
    );
    const { folder, returns, people, run, contacts } = documentSchema.parse(JSON.parse(stdout));
    folders.push(folder);
    expect({ exitCode, status: run.status, returns: returns.length, people }).toEqual({
      ...{ exitCode: 0, status: 'succeeded', returns: 4, people: 9 },
    });
    const written = Object.fromEntries(contacts.map((contact) => [contact.name, contact.written]));
    expect(written).toEqual({
      'Cornelia Vandersloot': {},
      'Marguerite Oldenquist': {
        'Warm Path':
          'Cornelia Vandersloot (Board) sat on the board of Lake View Food Bank Inc with Marguerite, 2023–2024.',
      },
      'Orville Standishmore': {
        'Donor Capacity': '46000',
        'Donor Work': 'Lake View Food Bank Inc',
      },
      'Fiona Tarleton': {
        'Donor Capacity': '3100000',
        'Donor Biography':
          'Tarleton Family Foundation paid $1,240,000 in grants in the year to 2024-12-31.',
      },
      'Augustin Tarleton': {},
      'Ottoline Quillfeather': {},
    });
  });
});
