/** Reads values from the forms of the set-up, and creates errors about these values. */
import type { ClientGuard } from '../../../clients/client-guard.ts';
import { requirePlainText } from '../../../clients/setup/address.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import type { Settings } from '../../../settings/settings.ts';
import { aboutField } from '../frame/refused-forms.ts';

/** The fields of a form, each with one or several values. */
export type Form = Readonly<Record<string, unknown>>;

/** The values that the operator allows. */
export interface Allowed {
  guard: Pick<ClientGuard, 'requirePublic'>;
  apps: Settings['setup']['apps'];
}

/** Returns the user's text without surrounding white space. Returns an empty text if the form lacks the field. */
export function one(form: Form, name: string): string {
  const value = Array.isArray(form[name]) ? form[name].at(-1) : form[name];
  return typeof value === 'string' ? requirePlainText('This form', value.trim()) : '';
}

/** Returns a name that the user chose from a list. The CRM may allow any characters in it. */
export function chosen(form: Form, name: string): string | undefined {
  const value = Array.isArray(form[name]) ? form[name].at(-1) : form[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

export function chosenMany(form: Form, name: string): string[] {
  const value = form[name];
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.flatMap((text) =>
    typeof text === 'string' && text.trim() !== '' ? [text.trim()] : [],
  );
}

/** Throws a ConfigurationError for the field if users may not enter this address in a browser. */
export async function requirePublic(
  { guard }: Pick<Allowed, 'guard'>,
  url: string,
  field: string,
): Promise<void> {
  try {
    await guard.requirePublic(url);
  } catch (error) {
    throw error instanceof Error ? aboutField(error, field) : error;
  }
}

/** Creates the error for a value that a form lacks. */
export function missing(what: string, field: string): ConfigurationError {
  return aboutField(answerMissing(`Enter ${what}.`), field);
}

/** Creates the error for a decision that the user must make before the next step. */
export function answerMissing(what: string): ConfigurationError {
  return new ConfigurationError(what, { code: 'setup_answer_missing' });
}

/**
 * Creates the error for a secret that the user must type again, because donor-sync sends a secret only to the origin
 * for which the user typed it.
 */
export function secretAgain(changed: string, secret: string, field: string): ConfigurationError {
  const refusal = new ConfigurationError(
    `You changed ${changed}, so enter ${secret} again. A secret is only sent to the address that it was entered for.`,
    { code: 'setup_secret_again' },
  );
  return aboutField(refusal, field);
}
