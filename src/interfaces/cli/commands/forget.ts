import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../application.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { newId } from '../../../core/new-id.ts';
import type { ErasedCounts } from '../../../fields/erasing/erasure-note.ts';
import { forgetContact } from '../../../operations/forget.ts';
import { forgetPerson, liftBlock } from '../../../privacy/forget/forget.ts';
import type { ErasureReceipt } from '../../../privacy/forget/receipt.ts';
import {
  type ForgetPersonDeps,
  type ForgetRequest,
  integrationsToForget,
} from '../../../privacy/forget/targets.ts';
import { chooseOne } from '../action/integrations.ts';
import {
  baseOptions,
  confirmOrStop,
  type ProductDeps,
  productAction,
  productCommand,
} from '../action/product.ts';
import { waitForSecondPerson } from '../action/second-person.ts';
import { EXIT_CODES, type ExitCode, type Output, usageError } from '../terminal/output.ts';
import { describeCount, formatTimestamp } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync forget 0035e00001 --integration riverside
  donor-sync forget 0035e00001 --integration riverside --also-in-crm --yes
  donor-sync forget 0035e00001 --integration riverside --lift-block

The contact is erased from the database of every integration of that CRM account, leaves the networks,
and is never taken up again, nor under another id before a person has decided. With --also-in-crm the
values that are still ours are cleared in the CRM first, and read again; what a person typed stays. A
receipt says what was done.

Cut off at any moment, the same command goes on. Exit code 0: erased, now or earlier. 2: no contact has
this id, and nothing was done. 3: the CRM did not let everything be cleared, or a sync is at work:
repeat the command; or it waits for a second person (twoPeople.forget and twoPeople.forgetEverywhere of
the settings), and nothing was done yet.`;

const optionsSchema = baseOptions.extend({
  integration: z.string().optional(),
  alsoInCrm: z.boolean().default(false),
  everywhere: z.boolean().default(false),
  blockUnknown: z.boolean().default(false),
  liftBlock: z.boolean().default(false),
  yes: z.boolean().default(false),
});

type ForgetOptions = z.infer<typeof optionsSchema>;

/** The command `forget`: erases one person. */
export function forgetCommand(deps: ProductDeps): Command {
  const command = productCommand('forget', deps)
    .description(forgetContact.summary)
    .argument('<contact>', 'the ID of the contact in the CRM')
    .option('--integration <id>', 'whose contact it is; may be left out if there is only one')
    .option('--also-in-crm', 'clear the values that we wrote into the CRM, too')
    .option('--everywhere', 'in the integrations of other CRM accounts as well')
    .option('--block-unknown', 'block an id that neither the database nor the CRM knows')
    .option('--lift-block', 'take the block of an id back instead: it was a mistake')
    .option('--yes', 'do not ask')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, typed: string) => {
    const { application, options, output } = action;
    requireOnePurpose(options);
    const integration = chooseOne(application, options.integration, 'with --integration');
    const crmId = await application.contactId(integration, typed);
    const act = options.liftBlock ? lift : forget;
    return act(deps, application, output, { ...options, integration, crmId });
  });
}

function requireOnePurpose({
  liftBlock: lifts,
  alsoInCrm,
  everywhere,
  blockUnknown,
}: ForgetOptions) {
  if (!lifts || !(alsoInCrm || everywhere || blockUnknown)) return;
  throw usageError(
    '--lift-block takes a block back and erases nothing: leave the other options out.',
  );
}

type Asked = ForgetRequest & Pick<ForgetOptions, 'yes'>;

async function forget(
  deps: ProductDeps,
  application: Application,
  output: Output,
  asked: Asked,
): Promise<ExitCode> {
  const forgetDeps: ForgetPersonDeps = {
    application,
    clock: deps.clock,
    log: deps.log,
    newId: () => newId(deps.clock.now()),
  };
  const ids = await integrationsToForget(forgetDeps, asked);
  await confirmOrStop(deps, questionFor(asked, ids), asked.yes);
  const { crmId, alsoInCrm, blockUnknown, everywhere } = asked;
  const request = { what: 'forget', alsoInCrm, blockUnknown, everywhere } as const;
  const about = { request, integrationId: asked.integration.id, crmId };
  const waits = await waitForSecondPerson(deps, application, output, about);
  if (waits !== null) return waits;
  const receipt = await forgetPerson(forgetDeps, asked);
  const forgotten = describeForgotten(asked, receipt);
  output.finish({ forget: forgotten }, () => printForgotten(output, forgotten));
  return receipt.complete ? EXIT_CODES.done : EXIT_CODES.stopped;
}

function questionFor({ crmId, alsoInCrm }: Asked, ids: readonly string[]): string {
  const names = ids.map((id) => `"${id}"`).join(', ');
  const crm = alsoInCrm ? ' and clear what we wrote of it in the CRM' : '';
  return `Erase the contact ${crmId} of ${names} from the database for ever${crm}?`;
}

async function lift(
  deps: ProductDeps,
  application: Application,
  output: Output,
  { integration, crmId, yes }: { integration: Integration; crmId: string; yes: boolean },
): Promise<ExitCode> {
  await confirmOrStop(
    deps,
    `Let the contact ${crmId} of "${integration.id}" be taken up again? What was erased does not come back; enhancing it costs a credit.`,
    yes,
  );
  const lifted = await liftBlock({ application }, integration, crmId);
  if (lifted.length === 0) throw notBlocked(integration, crmId);
  const document = { integration: integration.id, crmId, lifted };
  output.finish({ forget: document }, () => {
    output.print(
      `${crmId} may be taken up again in ${describeCount(lifted.length, 'integration')}: ${lifted.join(', ')}.`,
    );
    output.print(
      `\`donor-sync sync ${integration.id} --contact ${crmId}\` does it now; other syncs, when it changes.`,
    );
  });
  return EXIT_CODES.done;
}

function notBlocked({ id }: Integration, crmId: string): ConfigurationError {
  return new ConfigurationError(
    `The contact ${crmId} of "${id}" is not blocked: nothing was changed.`,
    { code: 'block_unknown', details: { integration: id, contact: crmId } },
  );
}

/** What `forget --json` shows. */
export interface Forgotten {
  integration: string;
  crmId: string;
  /** False if the store knew nothing of them; they are kept away from now on all the same. */
  wasKnown: boolean;
  /** Fields that were cleared in the CRM; null if that was not asked for. */
  cleared: string[] | null;
  /** Fields that hold something else than what we wrote, and were left alone. */
  editedSince: string[];
  /** The networks that the person was in, by name. */
  networks: { left: string[]; pending: string[] };
  receipt: ErasureReceipt;
}

export function describeForgotten(
  { integration, crmId }: { integration: Integration; crmId: string },
  receipt: ErasureReceipt,
): Forgotten {
  const { integrations, crm } = receipt;
  return {
    integration: integration.id,
    crmId,
    wasKnown: integrations.some(({ wasKnown }) => wasKnown),
    cleared: crm?.cleared ?? null,
    editedSince: crm?.editedSince ?? [],
    networks: {
      left: toDistinct(integrations.flatMap(({ networks }) => networks.left)),
      pending: toDistinct(integrations.flatMap(({ networks }) => networks.pending)),
    },
    receipt,
  };
}

function toDistinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** The receipt, for a person. */
export function printForgotten(output: Output, forgotten: Forgotten): void {
  const { networks, cleared, editedSince, receipt } = forgotten;
  output.print(headline(forgotten));
  output.print(
    `Receipt ${receipt.id}, ${formatTimestamp(Date.parse(receipt.at))}: ${erasedText(receipt.erased)}`,
  );
  if (receipt.integrations.length > 1) {
    output.print(`In: ${receipt.integrations.map(({ integration }) => integration).join(', ')}.`);
  }
  if (networks.left.length > 0) output.print(`Left the networks: ${networks.left.join(', ')}.`);
  if (cleared !== null) {
    const isNamed = receipt.pending.some(({ what }) => what === 'introductions');
    const isProven = receipt.complete && receipt.crm?.verified === true && !isNamed;
    const proof = isProven ? ' Read again: none of it is left.' : '';
    output.print(`Cleared in the CRM: ${cleared.join(', ') || 'nothing'}.${proof}`);
  }
  if (editedSince.length > 0) {
    output.print(`Left alone, because a person changed them: ${editedSince.join(', ')}.`);
  }
  for (const { integration, text } of receipt.pending) output.print(`${integration}: ${text}`);
  for (const { integration, crmId } of receipt.leftAlone) {
    output.print(`${integration}: ${crmId} is another person there, and was left alone.`);
  }
  if (receipt.alike.length > 0) {
    const ids = receipt.alike.map(({ integration, crmId }) => `${crmId} (${integration})`);
    output.print(
      `${describeCount(ids.length, 'contact')} may be the same person under another id: ${ids.join(', ')}. Forget them as well if so.`,
    );
  }
  if (!receipt.complete) {
    output.print(
      'The erasure is not at its end: no sync takes the contact up meanwhile. Repeat the command once the CRM takes it.',
    );
  }
}

function headline({ crmId, wasKnown, receipt }: Forgotten): string {
  if (!receipt.complete) return `${crmId} is blocked, and erased in part.`;
  if (receipt.erasedEarlier !== null) {
    const when = formatTimestamp(Date.parse(receipt.erasedEarlier));
    return `${crmId} was erased on ${when} already, and is not taken up again.`;
  }
  return wasKnown
    ? `${crmId} is erased and is not taken up again.`
    : `The database knew nothing of ${crmId}; it is kept away from now on.`;
}

const COUNTED = [
  ['contacts', 'contact', 'contacts'],
  ['jobs', 'job', 'jobs'],
  ['holds', 'hold', 'holds'],
  ['writes', 'write', 'writes'],
  ['paths', 'warm path', 'warm paths'],
  ['introductions', 'text that names the person', 'texts that name the person'],
  [
    'texts',
    'text about the person kept of other contacts',
    'texts about the person kept of other contacts',
  ],
  ['groups', 'membership of a group', 'memberships of groups'],
  ['runs', 'mention in runs', 'mentions in runs'],
  ['kept', 'change kept beside the file', 'changes kept beside the file'],
] as const satisfies readonly [keyof ErasedCounts, string, string][];

/** `erased 1 contact, 2 jobs.` */
function erasedText(erased: ErasedCounts): string {
  const parts = COUNTED.flatMap(([what, one, several]) =>
    erased[what] > 0 ? [describeCount(erased[what], one, several)] : [],
  );
  return parts.length === 0 ? 'nothing was left to be erased.' : `erased ${parts.join(', ')}.`;
}
