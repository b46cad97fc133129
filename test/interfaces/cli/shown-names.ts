import { expect } from 'vitest';
import type { CliWorld } from '../../helpers/cli.ts';
import { holdsSchema } from './documents.ts';

/** A decision with its names, as `holds --show` prints it. A missing name is empty. */
export interface ShownHold {
  id: string;
  contact: string;
  kind: string;
  names: { contact: string; profile: string; problem: string };
}

/** JSON output contains no names, so this reads them from the table. */
export async function readShownHolds(world: CliWorld): Promise<ShownHold[]> {
  const { holds } = await world.runJson(['holds'], holdsSchema);
  const { stdout, exitCode } = await world.run(['holds', '--show']);
  expect(exitCode).toBe(0);
  const lines = stdout.split('\n');
  const at = lines.findIndex((line) => /^Decision +In the CRM/.test(line));
  const header = lines[at] ?? '';
  const starts = ['In the CRM', 'In the profile', 'Remark'].map((title) => header.indexOf(title));
  return holds.map(({ id, contact, kind }) => {
    const line = lines.slice(at).find((each) => each.startsWith(id.slice(-8))) ?? '';
    const cell = (column: number) => {
      const start = starts[column] ?? -1;
      const next = starts[column + 1] ?? -1;
      if (start < 0) return '';
      return line.slice(start, next < 0 ? undefined : next).trim();
    };
    return { id, contact, kind, names: { contact: cell(0), profile: cell(1), problem: cell(2) } };
  });
}
