import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { ConfigurationError } from '../../core/errors.ts';
import { STRENGTH_FLOOR } from '../../insights/strength.ts';
import type { TextStream } from '../terminal/output.ts';

/** The value of `--contact`: the id of one contact in its CRM. */
export const contactOptionSchema = z
  .string()
  .min(1, { error: "Write the contact's id in the CRM after --contact." });

/** Reads the value of an option that is a whole number from 1 up. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('Write a whole number from 1 up, for example 20.');
}

/**
 * What a CRM said may quote names and figures: it is shown on a terminal to the person who asks, and
 * goes into no document, pipe or file. Throws a ConfigurationError where there is no terminal.
 */
export function requireTerminal(
  stdout: Pick<TextStream, 'isTTY'>,
  { isJson }: { isJson: boolean },
): void {
  if (stdout.isTTY && !isJson) return;
  const message = isJson
    ? '--show is for a terminal: what the CRM said goes into no JSON document. Leave --json out.'
    : '--show is for a terminal: what the CRM said goes into no pipe and no file. Run it at a terminal.';
  throw new ConfigurationError(message, { code: 'usage' });
}

/** Reads the value of an option that is the strength of a connection. */
export function parseStrength(text: string): number {
  const strength = Number(text);
  if (/^\d*\.?\d+$/.test(text) && strength >= STRENGTH_FLOOR && strength <= 1) return strength;
  throw new InvalidArgumentError(`Write a number from ${STRENGTH_FLOOR} to 1, for example 0.7.`);
}
