import type { Command } from 'commander';
import { z } from 'zod';
import { findConnectorDefinition } from '../../../connectors/index.ts';
import { isoTime } from '../../core/clock.ts';
import { outcomeText } from '../../core/outcome.ts';
import type { Retention } from '../../core/retention.ts';
import type { AboutContact } from '../../store/erasure/about.ts';
import { chooseOne } from '../action/integrations.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { EXIT_CODES, type Output } from '../terminal/output.ts';
import { countOf } from '../terminal/words.ts';

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
    const ids = await store.integrations.listOfSameAccount(integration.id);
    const found: AboutContact[] = [];
    for (const id of ids) found.push(await store.about.find(id, forms));
    const holdings = found.flatMap((each) => holdingsOf(each, settings.retention));
    // Who asks is noted where there is a person to be asked about.
    const known = found.find(({ contacts }) => contacts.length > 0);
    if (known) {
      const shown = { integrationId: known.integrationId, crmId } as const;
      await store.audit.note({ action: 'contact.shown', ...shown });
    }
    const about = { crmId, integrations: found.map(documentOf), holdings };
    output.finish({ about }, () => printHoldings(output, crmId, holdings));
    return EXIT_CODES.done;
  });
}

/** Instants as programs read them. */
function documentOf({ integrationId, ...about }: AboutContact) {
  return {
    integration: integrationId,
    ...about,
    contacts: about.contacts.map((row) => ({
      ...row,
      paidAt: timeOf(row.paidAt),
      enhancedAt: timeOf(row.enhancedAt),
      at: timeOf(row.at),
    })),
    jobs: about.jobs.map((row) => ({ ...row, submittedAt: timeOf(row.submittedAt) })),
    writes: about.writes.map((row) => ({ ...row, at: timeOf(row.at) })),
    holds: about.holds.map((row) => ({
      ...row,
      openedAt: timeOf(row.openedAt),
      decidedAt: timeOf(row.decidedAt),
    })),
    warmPaths: about.warmPaths.map((row) => ({ ...row, computedAt: timeOf(row.computedAt) })),
    keptProfiles: about.keptProfiles.map(({ keptAt, isDelivered }) => ({
      keptAt: timeOf(keptAt),
      isDelivered: isDelivered === 1,
    })),
    notInCrm: about.notInCrm.map((row) => ({ ...row, since: timeOf(row.since) })),
    blocks: about.blocks.map((row) => ({
      ...row,
      since: timeOf(row.since),
      erasedAt: timeOf(row.erasedAt),
    })),
  };
}

/** Null for never; numbers up to 0 stand for no moment. */
function timeOf(epochMs: number | null): string | null {
  return epochMs === null || epochMs <= 0 ? null : isoTime(epochMs);
}

const UNTIL_FORGET = 'until `forget`';

const PROFILE_KEPT = 'until the next profile, or until it is too old to be delivered, or `forget`';

function fieldsOf({ notInCrm }: AboutContact): string {
  return notInCrm.map(({ field }) => field).join(', ');
}

function daysText(days: number | null | undefined): string {
  return days == null ? UNTIL_FORGET : `${countOf(days, 'day')}, or ${UNTIL_FORGET}`;
}

/** Pure: what is held, in words, with nothing where there is nothing. */
function holdingsOf(about: AboutContact, retention: Retention): Holding[] {
  const { integrationId: integration, contacts, jobs, writes, holds } = about;
  const holdings: Holding[] = [];
  const add = (where: string, what: string, kept: string) =>
    holdings.push({ integration, where, what, kept });
  const addCount = (count: number, where: string, one: string, several: string, kept: string) => {
    if (count > 0) add(where, countOf(count, one, several), kept);
  };
  for (const { state, reason, donorId, paidAt, mergedInto, ourFields } of contacts) {
    add('database', `where it stands: ${state}, ${outcomeText(reason)}`, UNTIL_FORGET);
    add('database', 'fingerprints of name, addresses and employers', UNTIL_FORGET);
    if (timeOf(paidAt) !== null) add('database', `paid for at ${timeOf(paidAt)}`, UNTIL_FORGET);
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
    about.keptProfiles.length,
    'database',
    'encrypted profile that was paid for',
    'encrypted profiles that were paid for',
    PROFILE_KEPT,
  );
  addCount(
    about.notInCrm.length,
    'database',
    `reason why a value is not in the CRM: ${fieldsOf(about)}`,
    `reasons why values are not in the CRM: ${fieldsOf(about)}`,
    PROFILE_KEPT,
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
      `${word} since ${timeOf(since)}, by a fingerprint of its id`,
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
