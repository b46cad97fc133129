/** What the forms of this room send. */
import { z } from 'zod';
import { ROLES } from '../../../core/role.ts';
import { invalidRequest } from '../../../core/shared-errors.ts';
import type { Rights } from '../../../people/statements/people.ts';

/** Boxes are named so, one for each integration. */
export const BOX = 'integration.';

const rightsSchema = z.looseObject({
  role: z.enum(ROLES),
  reach: z.enum(['all', 'some']),
  /** Where there are too many for boxes: their ids. */
  ids: z.string().max(64_000).default(''),
});

/** Role and clients; throws a ConfigurationError (invalid) for some of them, and none named. */
export function readRights(form: Record<string, unknown>): Rights {
  const { role, reach, ids } = read(rightsSchema, form);
  if (reach === 'all') return { role, integrations: null };
  const ticked = Object.keys(form).filter((name) => name.startsWith(BOX));
  const typed = ids.split(/[\s,]+/).filter((id) => id !== '');
  const integrations = [...ticked.map((name) => name.slice(BOX.length)), ...typed];
  if (integrations.length > 0) return { role, integrations };
  throw invalidRequest('Choose the clients within reach, or all.');
}

function read<Form>(schema: z.ZodType<Form>, form: Record<string, unknown>): Form {
  const { data, error } = schema.safeParse(form);
  if (data !== undefined) return data;
  throw invalidRequest(error?.issues[0]?.message ?? 'The form is not filled in.');
}

/** What a browser says of a passkey, and what it was asked by; blank where there is none. */
export const passkeyShape = {
  response: z.string().max(16_000).catch(''),
  way: z.string().max(2_000).catch(''),
};

const passkeyNameSchema = z
  .string({ error: 'The passkey needs a name.' })
  .trim()
  .min(1, { error: 'The passkey needs a name.' })
  .max(60)
  .regex(/^\P{Cc}+$/u, { error: 'The name has characters that no name has.' });

/** What a new passkey is called; throws an HttpError (422) for no name. */
export function readPasskeyName(form: Record<string, unknown>): string {
  return read(z.looseObject({ name: passkeyNameSchema }), form).name;
}

/** A password as it was typed: no blank is taken away. */
export const passwordSchema = z.string().max(1_000).catch('');
