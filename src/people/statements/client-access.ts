/** The integrations that a person or a token may reach, as they stand in a row. */
import { z } from 'zod';

/** Their ids; null for all that there are. */
export type ClientAccess = readonly string[] | null;

const accessSchema = z.array(z.string());

export function readAccess(text: string | null): ClientAccess {
  return text === null ? null : accessSchema.parse(JSON.parse(text));
}

export function writeAccess(reach: ClientAccess): string | null {
  return reach === null ? null : JSON.stringify([...new Set(reach)].sort());
}
