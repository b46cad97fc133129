/** The integrations that a person or a token may reach, as they stand in a row. */
import { z } from 'zod';

/** Their ids; null for all that there are. */
export type Reach = readonly string[] | null;

const reachSchema = z.array(z.string());

export function readReach(text: string | null): Reach {
  return text === null ? null : reachSchema.parse(JSON.parse(text));
}

export function writeReach(reach: Reach): string | null {
  return reach === null ? null : JSON.stringify([...new Set(reach)].sort());
}
