/**
 * Creates a report that customers can send to support. The report contains only data that may leave the customer's
 * network. For each finding, it contains the text in `report`, or the subject and the cause. The report leaves out
 * messages, because they may contain hosts, accounts, files and settings.
 */
import type { AccountFact } from '../../../../../connectors/contract.ts';
import { countCauses, type DoctorFinding } from '../../../../operations/doctor/causes.ts';
import { isApiName } from '../../../../operations/doctor/check-crm.ts';
import { describeCount, formatCount } from '../../terminal/words.ts';

export interface ReportContent {
  madeAt: string;
  installation: readonly AccountFact[];
  integrations: readonly IntegrationFacts[];
  findings: readonly DoctorFinding[];
}

export interface IntegrationFacts {
  /**
   * The client's ID, which connects the client with its findings. The report does not show it, because it is often an
   * organisation's name.
   */
  id: string;
  kind: string;
  facts: readonly AccountFact[];
}

/** Returns the report as Markdown. */
export function renderReport(
  { madeAt, installation, integrations }: Omit<ReportContent, 'findings'>,
  findings: readonly DoctorFinding[],
): string {
  const ids = [...new Set(findings.flatMap(({ integration }) => integration ?? []))];
  return [
    '# donor-sync doctor: report',
    '',
    `Created ${madeAt} by \`donor-sync doctor --report\`. It contains no names, values, IDs, addresses or keys.`,
    '',
    table(installation),
    '',
    '## Installation',
    '',
    ...checklist(findings.filter(({ integration }) => integration === null)),
    ...ids.flatMap((id, at) => [
      ...integrationPart(
        at + 1,
        integrations.find((one) => one.id === id),
      ),
      ...checklist(findings.filter(({ integration }) => integration === id)),
    ]),
    '',
    '## By hand',
    '',
    ...BY_HAND.map((line) => `- [ ] ${line}`),
    '',
    '## Result',
    '',
    describeResult(findings),
    '',
  ].join('\n');
}

/** Checks that only a user can make. */
const BY_HAND = [
  '`donor-sync plan` counts about as many people as the CRM has',
  'the first `donor-sync sync` (a trial) finished, and wrote what it reported',
  "a colleague, not the administrator, sees the fields on a contact's page",
  '`donor-sync undo` of the trial restored the values',
];

function integrationPart(number: number, known: IntegrationFacts | undefined): string[] {
  // The kind of a connector package may be a path on the disk.
  const kind = known !== undefined && /^[\w-]{1,40}$/.test(known.kind) ? `: ${known.kind}` : '';
  const facts = known === undefined ? [] : [table(known.facts), ''];
  return ['', `## Integration ${number}${kind}`, '', ...facts];
}

function table(facts: readonly AccountFact[]): string {
  const rows = facts.map(({ name, value }) => {
    const shown = typeof value === 'number' ? formatCount(value) : value;
    return `| ${clean(name)} | ${clean(shown)} |`;
  });
  return ['| | |', '| --- | --- |', ...rows].join('\n');
}

function checklist(findings: readonly DoctorFinding[]): string[] {
  return findings.map((finding) => `- [${finding.ok ? 'x' : ' '}] ${toLine(finding)}`);
}

function toLine({ subject, cause, report, ok }: DoctorFinding): string {
  const word = cause === undefined || ok ? '' : ` (${clean(cause)})`;
  const said = report === undefined ? '' : `: ${clean(report)}`;
  return `**${shownSubject(subject)}**${word}${said}`;
}

/**
 * Returns the subject for the report. A column heading is the customer's own text, so it is left out. All subjects
 * except column headings are donor-sync's own words.
 */
function shownSubject(subject: string): string {
  const [, field] = /^field (.*)$/s.exec(subject) ?? [];
  if (field === undefined || field === 'map' || field === 'viewers') {
    return /^[\w .-]{1,60}$/.test(subject) ? subject : 'a check';
  }
  return isApiName(field) ? `field ${field}` : 'field (its name is not shown)';
}

/** Escapes a line, so that nothing in it is read as Markdown. */
function clean(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[|<>[\]`*]/g, '');
}

function describeResult(findings: readonly DoctorFinding[]): string {
  const broken = findings.filter(({ ok }) => !ok).length;
  if (broken === 0) return 'All is well.';
  return `${describeCount(countCauses(findings), 'problem')} to fix, in ${describeCount(broken, 'finding')}.`;
}
