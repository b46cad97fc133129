import { spentText } from '../../../../clients/views/status.ts';
import type { RunReport } from '../../../../core/run.ts';
import type { Environment } from '../../../../settings/environment.ts';
import { outcomesText } from '../../../../sync/views/run.ts';
import { fitWidth, padWidth, wrapWidth } from '../../terminal/display-width.ts';
import type { Output } from '../../terminal/output.ts';
import { describeCount, formatCount, formatDuration } from '../../terminal/words.ts';
import { getStatusWord } from '../sync/run-summary.ts';
import { type DemoFolder, ENHANCED_FIELDS } from './folder.ts';
import type { CrmResult, DemoResult } from './results.ts';
import type { Stage } from './stage.ts';

/** The result of `demo`, in the form that `--json` prints. */
export interface DemoReport {
  folder: DemoFolder;
  /** The service's sandbox. The paths `/_sandbox/…` are below `rootUrl`. */
  partner: { baseUrl: string; apiKey: string; rootUrl: string };
  runs: RunReport[];
  contacts: DemoResult[];
  /** The CRMs' results. Empty if the first sync did not finish. */
  crms: CrmResult[];
}

/** Prints the start of the demo. This text comes first, because the sync takes some seconds. */
export function showStart(output: Output, { contacts, baseUrl }: Stage, folder: DemoFolder): void {
  output.print(
    `${describeCount(contacts.length, 'contact')} of a nonprofit are in ${folder.contacts}`,
  );
  output.print(`The service is a local stand-in with fictional people: ${baseUrl}`);
  output.print();
}

/** Shows the results of the two syncs. */
export function showReport(output: Output, report: DemoReport): void {
  const { runs, contacts, folder, crms } = report;
  const [first, second] = runs;
  const { strong } = output.style;
  if (first !== undefined) showRun(output, 'First sync', first);
  if (contacts.length > 0) {
    output.print(strong('What was written, for example'));
    showWritten(output, contacts);
    output.print();
    output.print(strong('Who was not written, and why'));
    showUnwritten(output, contacts);
    output.print();
  }
  if (second !== undefined) showRun(output, 'Second sync', second);
  for (const crm of crms) showCrm(output, crm);
  output.print(strong('The files'));
  output.print(`  the contact list   ${folder.contacts}`);
  output.print(`  the enhanced list  ${folder.enhanced}`);
  output.print(`  the settings       ${folder.settings}`);
}

export function showNextSteps(
  output: Output,
  env: Environment,
  { folder, partner }: DemoReport,
): void {
  // With npm, donor-sync is not on the user's PATH.
  const program = env['npm_lifecycle_event'] ? 'npm run --silent donor-sync --' : 'donor-sync';
  output.print();
  output.print(
    output.style.strong(
      'The service runs until you press Ctrl-C. In another terminal, in this folder:',
    ),
  );
  output.print(`  export DONOR_SYNC_CONFIG=${folder.settings}`);
  output.print(`  ${program} holds                  # pending decisions, and how to decide them`);
  output.print(`  ${program} runs                   # what the syncs did`);
  output.print(`  ${program} plan                   # after changing a name in contacts.csv`);
  output.print(`  ${program} sync --all`);
  output.print(`  ${program} fields check           # whether the CRMs' fields can be written`);
  output.print(`  curl ${partner.rootUrl}/_sandbox/ledger   # every credit charged`);
}

function showCrm(output: Output, crm: CrmResult): void {
  const { strong, faint } = output.style;
  const [first, second] = crm.runs;
  output.print(strong(`The same service, and a ${crm.name} (a stand-in: ${crm.baseUrl})`));
  output.print(`  ${describeFields(crm.createdFields.length)}`);
  output.print();
  if (first !== undefined) showRun(output, `First sync of the ${crm.name}`, first, crm.unwritten);
  output.print(strong(`What is in the ${crm.name} now, for example`));
  for (const { name, id, values } of crm.contacts) {
    output.print(`  ${name} ${faint(id)}`);
    const width = Math.max(...values.map(({ field }) => field.length));
    for (const { field, value } of values) {
      if (value === null) continue;
      const label = padWidth(field, width, 'left');
      output.print(`    ${label}  ${fitWidth(String(value), CRM_VALUE_WIDTH)}`);
    }
  }
  output.print();
  showIntroduced(output, crm);
  if (second !== undefined) showRun(output, `Second sync of the ${crm.name}`, second);
}

function describeFields(created: number): string {
  if (created === 0) return 'The custom fields exist already: an administrator has created them';
  return `${describeCount(created, 'custom field')} created, with the access they need`;
}

const CRM_VALUE_WIDTH = 65;

function showIntroduced(output: Output, { introduced, name }: CrmResult): void {
  if (introduced.count === 0) return;
  const who = describeCount(introduced.count, 'contact');
  output.print(output.style.strong(`${who} of the ${name} can be introduced, for example`));
  for (const { name: contact, id, values } of introduced.contacts) {
    output.print(`  ${contact} ${output.style.faint(id)}`);
    for (const { value } of values) {
      for (const line of wrapWidth(String(value), SENTENCE_WIDTH)) output.print(`    ${line}`);
    }
  }
  output.print();
}

const SENTENCE_WIDTH = 95;

function showRun(
  output: Output,
  title: string,
  run: RunReport,
  unwritten: CrmResult['unwritten'] = [],
): void {
  const tookMs = Date.parse(run.finishedAt ?? run.startedAt) - Date.parse(run.startedAt);
  output.print(`${output.style.strong(title)} (${formatDuration(tookMs)})`);
  output.print(`  ${describeCount(run.contacts.read, 'contact')} read: ${outcomesText(run)}`);
  for (const { count, explanation } of unwritten) {
    output.print(`    ${formatCount(count)}: ${explanation}`);
  }
  output.print(`  ${spentText(run.credits.enhancements)}`);
  const shared = run.contacts.enhanced - run.contacts.submitted;
  if (shared > 0) {
    output.print(
      `  ${describeCount(shared, 'profile')} already paid for, with another contact of the same person`,
    );
  }
  for (const { name, added, removed, kept } of run.networks) {
    output.print(`  network ${name}: ${added} added, ${kept} kept, ${removed} removed`);
  }
  if (run.reason !== null) output.print(`  ${getStatusWord(run)}: ${run.reason.message}`);
  output.print();
}

/** Prints the contacts that serve as examples in the list. */
function showWritten(output: Output, contacts: readonly DemoResult[]): void {
  const telling = contacts.filter(({ outcome, story }) => outcome === 'written' && story !== null);
  for (const { name, story, fields } of telling) {
    output.print(`  ${name}: ${output.style.faint(story ?? '')}`);
    for (const { field, from, to, kept } of fields) {
      const change = kept ? `${from} (kept)` : `${from || '(empty)'} → ${to}`;
      output.print(`    ${padWidth(field, FIELD_WIDTH, 'left')}  ${fitWidth(change, VALUE_WIDTH)}`);
    }
  }
}

const FIELD_WIDTH = Math.max(...ENHANCED_FIELDS.map((field) => field.length));

/** The width of values. Lines have at most 100 columns, even if the terminal does not report its width. */
const VALUE_WIDTH = 75;

function showUnwritten(output: Output, contacts: readonly DemoResult[]): void {
  const unwritten = contacts.filter(({ outcome }) => outcome !== 'written');
  for (const { name, outcome, explanation, story } of unwritten.slice(0, MAX_LISTED)) {
    output.print(`  ${name}: ${outcome}${story === null ? '' : ` (${story})`}`);
    output.print(`    ${explanation}`);
  }
  const more = unwritten.length - MAX_LISTED;
  if (more > 0) output.print(`  … and ${describeCount(more, 'more contact')}`);
}

/** The maximum number of printed contacts. The file contains all contacts. */
const MAX_LISTED = 10;
