/** The integrations to which a user or a token has access, as the database stores them. */
import { z } from 'zod';

/** The IDs of the integrations, or null for all integrations. */
export type ClientAccess = readonly string[] | null;

const accessSchema = z.array(z.string());

export function readAccess(text: string | null): ClientAccess {
  return text === null ? null : accessSchema.parse(JSON.parse(text));
}

export function writeAccess(reach: ClientAccess): string | null {
  return reach === null ? null : JSON.stringify([...new Set(reach)].sort());
}
