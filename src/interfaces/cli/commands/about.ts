import type { Command } from 'commander';
import { z } from 'zod';
import { findConnectorDefinition } from '../../../../connectors/index.ts';
import { listIntegrationsOfSameAccount } from '../../../clients/statements/integrations.ts';
import { isoTime } from '../../../core/clock.ts';
import { outcomeText } from '../../../core/outcome.ts';
import { profileDays, type Retention } from '../../../core/retention.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import { type AboutContact, readAboutContact } from '../../../privacy/statements/about.ts';
import { chooseOne } from '../action/integrations.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { EXIT_CODES, type Output } from '../terminal/output.ts';
import { describeCount } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync about 0035e00000abcde
  donor-sync about 0035e00000abcde --integration riverside --json   for scripts: { "about": {...} }

What is held of a contact in every integration of its CRM account, where, and for how long. The database
holds no name, address or figure in clear, so none is shown; the values are in the CRM and at the service.`;

const optionsSchema = baseOptions.extend({ integration: z.string().optional() });

/** Something that is held: one line for a person. */
interface Holding {
  integration: string;
  /** Where: a part of the database, the CRM or the service. */
  where: string;
  what: string;
  /** For how long. */
  kept: string;
}

/** The command `about`: everything that is held of one person. */
export function aboutCommand(deps: ProductDeps): Command {
  const command = productCommand('about', deps)
    .description('show everything that is held of one contact, where and for how long')
    .argument('<crm-id>', "the contact's id in the CRM")
    .option('--integration <id>', 'whose contact it is; may be left out if there is only one')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, typed: string) => {
    const { application, settings, options, output } = action;
    const { store } = application;
    const integration = chooseOne(application, options.integration, 'with --integration');
    const crmId = await application.contactId(integration, typed);
    const definition = await findConnectorDefinition(integration.crm.kind);
    const forms = [crmId, ...(definition.otherForms?.(crmId) ?? [])];
    const ids = await listIntegrationsOfSameAccount(store.reader, integration.id);
    const found: AboutContact[] = [];
    for (const id of ids)
      found.push(await readAboutContact(store.reader, store.fingerprint, id, forms));
    const getProfileDays = (id: string) => {
      const client = application.integrations.get(id);
      return client === undefined ? null : profileDays(client, settings.retention);
    };
    const holdings = found.flatMap((each) =>
      listHoldings(each, settings.retention, getProfileDays(each.integrationId)),
    );
    // Who asks is noted where there is a person to be asked about.
    const known = found.find(({ contacts }) => contacts.length > 0);
    if (known) {
      const shown = { integrationId: known.integrationId, crmId } as const;
      await noteEntries(store.act, [{ action: 'contact.shown', ...shown }]);
    }
    const about = { crmId, integrations: found.map(toDocument), holdings };
    output.finish({ about }, () => printHoldings(output, crmId, holdings));
    return EXIT_CODES.done;
  });
}

/** Instants as programs read them. */
function toDocument({ integrationId, ...about }: AboutContact) {
  return {
    integration: integrationId,
    ...about,
    contacts: about.contacts.map((row) => ({
      ...row,
      paidAt: toTime(row.paidAt),
      enhancedAt: toTime(row.enhancedAt),
      at: toTime(row.at),
    })),
    jobs: about.jobs.map((row) => ({ ...row, submittedAt: toTime(row.submittedAt) })),
    writes: about.writes.map((row) => ({ ...row, at: toTime(row.at) })),
    holds: about.holds.map((row) => ({
      ...row,
      openedAt: toTime(row.openedAt),
      decidedAt: toTime(row.decidedAt),
    })),
    warmPaths: about.warmPaths.map((row) => ({ ...row, computedAt: toTime(row.computedAt) })),
    keptProfiles: about.keptProfiles.map(({ keptAt, isDelivered, optedOutAt, isThere }) => ({
      keptAt: toTime(keptAt),
      optedOutAt: toTime(optedOutAt),
      isDelivered: isDelivered === 1,
      isThere: Boolean(isThere),
    })),
    notInCrm: about.notInCrm.map((row) => ({ ...row, since: toTime(row.since) })),
    blocks: about.blocks.map((row) => ({
      ...row,
      since: toTime(row.since),
      erasedAt: toTime(row.erasedAt),
    })),
  };
}

/** Null for never; numbers up to 0 stand for no moment. */
function toTime(epochMs: number | null): string | null {
  return epochMs === null || epochMs <= 0 ? null : isoTime(epochMs);
}

const UNTIL_FORGET = 'until `forget`';

/** `days` is null for a client that the settings no longer have. */
function profileKeptText({ keptProfiles }: AboutContact, days: number | null): string {
  const own =
    days === null
      ? 'until it is too old to be delivered'
      : `${describeCount(days, 'day')} after its purchase`;
  const isMarked = keptProfiles.some(({ optedOutAt }) => optedOutAt !== null);
  const mark = isMarked ? ', at most 30 days after the opt-out unless that is in doubt' : '';
  return `${own}${mark}, or until the next profile, or ${UNTIL_FORGET}`;
}

function describeFields({ notInCrm }: AboutContact): string {
  return notInCrm.map(({ field }) => field).join(', ');
}

function daysText(days: number | null | undefined): string {
  return days == null ? UNTIL_FORGET : `${describeCount(days, 'day')}, or ${UNTIL_FORGET}`;
}

/** Pure: what is held, in words, with nothing where there is nothing. */
function listHoldings(
  about: AboutContact,
  retention: Retention,
  profileKeptDays: number | null,
): Holding[] {
  const profileKept = profileKeptText(about, profileKeptDays);
  const { integrationId: integration, contacts, jobs, writes, holds } = about;
  const holdings: Holding[] = [];
  const add = (where: string, what: string, kept: string) =>
    holdings.push({ integration, where, what, kept });
  const addCount = (count: number, where: string, one: string, several: string, kept: string) => {
    if (count > 0) add(where, describeCount(count, one, several), kept);
  };
  for (const { state, reason, donorId, paidAt, mergedInto, ourFields } of contacts) {
    add('database', `where it stands: ${state}, ${outcomeText(reason)}`, UNTIL_FORGET);
    add('database', 'fingerprints of name, addresses and employers', UNTIL_FORGET);
    if (toTime(paidAt) !== null) add('database', `paid for at ${toTime(paidAt)}`, UNTIL_FORGET);
    if (donorId !== null) add('database', `the donor that it is: ${donorId}`, UNTIL_FORGET);
    if (mergedInto !== null) {
      add('database', `the contact that it became a part of: ${mergedInto}`, UNTIL_FORGET);
    }
    if (ourFields.length > 0) {
      add(
        'CRM',
        `values of ours in ${ourFields.join(', ')}`,
        'until `forget --also-in-crm`, or `undo`',
      );
    }
  }
  addCount(
    jobs.length,
    'database',
    'job',
    'jobs',
    'for good; `forget` takes the contact out of it',
  );
  const atService = jobs.filter(({ jobId }) => jobId !== null).length;
  addCount(atService, 'service', 'result of a job', 'results of jobs', '7 days after the job');
  const before = writes.filter(({ hasValuesBefore }) => hasValuesBefore).length;
  const kept = daysText(retention.previousValues);
  addCount(
    before,
    'database',
    'sealed set of values before a write',
    'sealed sets of values before writes',
    kept,
  );
  addCount(writes.length, 'database', 'fingerprinted write', 'fingerprinted writes', UNTIL_FORGET);
  addCount(holds.length, 'database', 'hold', 'holds', daysText(retention.outcomes));
  addCount(
    about.keptProfiles.filter(({ isThere }) => isThere).length,
    'database',
    'encrypted profile that was paid for',
    'encrypted profiles that were paid for',
    profileKept,
  );
  addCount(
    about.keptProfiles.filter(({ isThere }) => !isThere).length,
    'database',
    'note that its profile is not kept, and when it opted out',
    'notes that its profiles are not kept, and when it opted out',
    profileKept,
  );
  addCount(
    about.notInCrm.length,
    'database',
    `reason why a value is not in the CRM: ${describeFields(about)}`,
    `reasons why values are not in the CRM: ${describeFields(about)}`,
    profileKept,
  );
  addCount(about.warmPaths.length, 'database', 'warm path', 'warm paths', UNTIL_FORGET);
  addCount(
    about.introduces,
    'database',
    'path of another contact that it introduces',
    'paths of other contacts that it introduces',
    UNTIL_FORGET,
  );
  addCount(
    about.groups.length,
    'database',
    `group of the CRM: ${about.groups.join(', ')}`,
    `groups of the CRM: ${about.groups.join(', ')}`,
    'while it is in it',
  );
  addCount(
    about.networks.length,
    'service',
    `network: ${about.networks.join(', ')}`,
    `networks: ${about.networks.join(', ')}`,
    'while it is in it',
  );
  addCount(
    about.statuses,
    'database',
    'status, as the CRM shows it',
    'statuses, as the CRM shows them',
    UNTIL_FORGET,
  );
  addCount(
    about.texts,
    'database',
    'sealed text of the CRM',
    'sealed texts of the CRM',
    `30 days, or ${UNTIL_FORGET}`,
  );
  addCount(
    about.runRows,
    'database',
    'line of what a run did',
    'lines of what runs did',
    daysText(retention.runRows),
  );
  addCount(
    about.runsAsked,
    'database',
    'run for it alone',
    'runs for it alone',
    daysText(retention.outcomes),
  );
  addCount(
    about.approvals,
    'database',
    'erasure that waits for a second person',
    'erasures that wait for a second person',
    '7 days',
  );
  addCount(
    about.auditEntries,
    'audit',
    'entry that names it',
    'entries that name it',
    daysText(retention.audit),
  );
  for (const { state, since } of about.blocks) {
    const word = state === 'merged' ? 'suspected to be an erased person' : 'blocked';
    add(
      'database',
      `${word} since ${toTime(since)}, by a fingerprint of its id`,
      'until `forget --lift-block`',
    );
  }
  return holdings;
}

function printHoldings(output: Output, crmId: string, holdings: readonly Holding[]): void {
  if (holdings.length === 0) {
    output.print(`Nothing is held of ${crmId}. What the CRM has of it is the CRM's.`);
    return;
  }
  output.table<Holding>(
    [
      { header: 'Integration', value: ({ integration }) => integration, shrinks: true },
      { header: 'Where', value: ({ where }) => where },
      { header: 'What', value: ({ what }) => what, shrinks: true },
      { header: 'How long', value: ({ kept }) => kept, shrinks: true },
    ],
    holdings,
  );
  output.print();
  output.print(
    'Backups of the database hold the same until they are deleted. To erase it: donor-sync forget',
  );
}
