import type { Command } from 'commander';
import { ConfigurationError } from '../../../core/errors.ts';
import { newId } from '../../../core/new-id.ts';
import { eraseIntegration, type IntegrationReceipt } from '../../../privacy/erase-integration.ts';
import { askingCommand, type CommandAbout } from '../action/asking.ts';
import type { ProductDeps } from '../action/product.ts';
import type { Output } from '../terminal/output.ts';
import { describeCount, formatTimestamp } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync disconnect riverside                         the CRM takes its token back
  donor-sync erase riverside                              all that is known of a nonprofit that leaves
  donor-sync erase riverside --yes --json > receipt.json

Take it out of the settings file first. What was charged stays on record without contacts, and so do
blocks of erased people and the audit; the receipt says why. To erase one person: donor-sync forget.

Cut off at any moment, the same command goes on. Exit code 3: a sync is at work, or a request is not
settled; repeat the command.`;

const ABOUT = {
  name: 'erase',
  description: 'erase everything of an integration that leaves, with a receipt',
  argument: ['<id>', 'the integration'],
  examples: EXAMPLES,
} satisfies CommandAbout;

/** The command `erase`: everything of an integration that leaves. */
export function eraseCommand(deps: ProductDeps): Command {
  return askingCommand(deps, ABOUT, async (action, id) => {
    const { application, settings, confirm, output } = action;
    if (settings.integrations.some((each) => each.id === id)) throw stillSet(id);
    await confirm(`Erase everything of "${id}" from the database for ever?`);
    const { clock } = deps;
    const erasing = { application, clock, newId: () => newId(clock.now()) };
    const receipt = await eraseIntegration(erasing, id);
    output.finish({ receipt }, () => print(output, receipt));
    return undefined;
  });
}

function stillSet(id: string): ConfigurationError {
  return new ConfigurationError(
    `The settings file has "${id}" still: the next sync would begin anew and pay for all contacts again. Take it out (after \`donor-sync disconnect ${id}\`), restart \`donor-sync serve\`, then repeat the command. Nothing was erased.`,
    { code: 'integration_in_settings', details: { integration: id } },
  );
}

function print(output: Output, receipt: IntegrationReceipt): void {
  const { integration, at, erased, kept, files, outside, erasedEarlier, overwritten } = receipt;
  const earlier =
    erasedEarlier === null
      ? ''
      : ` It was erased on ${formatTimestamp(Date.parse(erasedEarlier))} before.`;
  output.print(`Everything of "${integration}" is erased.${earlier}`);
  output.print(`Receipt ${receipt.id}, ${formatTimestamp(Date.parse(at))}:`);
  for (const [what, rows] of Object.entries(erased)) {
    output.print(`  ${describeCount(rows, 'row')} of ${what.replaceAll('_', ' ')}`);
  }
  for (const name of files) output.print(`  the file ${name}`);
  if (kept.length > 0) output.print('What stays, and why:');
  for (const { what, rows, why } of kept)
    output.print(`  ${describeCount(rows, 'row')} of ${what}: ${why}`);
  output.print('Elsewhere:');
  for (const text of outside) output.print(`  ${text}`);
  if (!overwritten) {
    output.print('Another process uses the file: repeat the command once it has ended.');
  }
}
