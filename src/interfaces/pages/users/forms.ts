/** Parses the forms of the users and account pages. */
import { z } from 'zod';
import { ROLES } from '../../../core/role.ts';
import { invalidRequest } from '../../../core/shared-errors.ts';
import type { Rights } from '../../../people/statements/people.ts';
import { aboutField } from '../frame/refused-forms.ts';

/** The prefix of the checkboxes' names. Each integration has one checkbox with this prefix. */
export const BOX = 'integration.';

const rightsSchema = z.looseObject({
  role: z.enum(ROLES),
  reach: z.enum(['all', 'some']),
  /** The IDs as text, used if there are too many integrations for checkboxes. */
  ids: z.string().max(64_000).default(''),
});

/**
 * Returns the role and the clients. Throws a ConfigurationError (invalid) if the user limited the access to some
 * clients but selected none.
 */
export function readRights(form: Record<string, unknown>): Rights {
  const { role, reach, ids } = read(rightsSchema, form);
  if (reach === 'all') return { role, integrations: null };
  const ticked = Object.keys(form).filter((name) => name.startsWith(BOX));
  const typed = ids.split(/[\s,]+/).filter((id) => id !== '');
  const integrations = [...ticked.map((name) => name.slice(BOX.length)), ...typed];
  if (integrations.length > 0) return { role, integrations };
  const refusal = invalidRequest('Select the clients that this user may access, or all.');
  throw aboutField(refusal, 'reach');
}

function read<Form>(schema: z.ZodType<Form>, form: Record<string, unknown>): Form {
  const { data, error } = schema.safeParse(form);
  if (data !== undefined) return data;
  throw invalidRequest(error?.issues[0]?.message ?? 'The form is not filled in.');
}

/**
 * The browser's passkey response, and the request to which it belongs. Both values are empty if the browser sent no
 * passkey response.
 */
export const passkeyShape = {
  response: z.string().max(16_000).catch(''),
  way: z.string().max(2_000).catch(''),
};

const passkeyNameSchema = z
  .string({ error: 'The passkey needs a name.' })
  .trim()
  .min(1, { error: 'The passkey needs a name.' })
  .max(60)
  .regex(/^\P{Cc}+$/u, { error: 'The name contains characters that are not allowed.' });

/** Returns the passkey's name. Throws an HttpError (422) if the name is missing. */
export function readPasskeyName(form: Record<string, unknown>): string {
  return read(z.looseObject({ name: passkeyNameSchema }), form).name;
}

/** Returns a password exactly as typed, including spaces. */
export const passwordSchema = z.string().max(1_000).catch('');
