import { ConfigurationError } from '../../core/errors.ts';
import type { TextStream } from '../terminal/output.ts';

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
