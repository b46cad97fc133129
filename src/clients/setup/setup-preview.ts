/** Reads CRM data that a set-up shows to the user. The data is not stored. */
import type {
  AutomaticMark,
  Connector,
  GroupSummary,
  RecordLookup,
} from '../../../connectors/contract.ts';
import { type CrmField, type FieldValue, plainField } from '../../core/crm-field.ts';
import { isDonorSyncError } from '../../core/errors.ts';
import type { FieldMapping } from '../../core/field-map.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { PersonDetails } from '../../core/person.ts';
import type { Profile } from '../../core/profile.ts';
import { readFields } from '../../fields/describe.ts';
import { amountFor } from '../../mapping/amount.ts';
import type { FieldMapFinding } from '../../mapping/check-field-map.ts';
import { diffValues } from '../../mapping/diff-values.ts';
import { mapProfile } from '../../mapping/map-profile.ts';
import { profileValues } from '../../mapping/profile-values.ts';
import { forecastNetworks, type NetworksForecast } from '../../networks/forecast.ts';
import { openCrm } from '../../sync/control/crm-account.ts';
import { getRefusal } from '../../sync/plan.ts';
import { type Preview, previewRun } from '../../sync/preview.ts';
import { readPersons, samplePersons } from '../../sync/sample-persons.ts';
import { type ListedRun, readRunContacts } from '../../sync/views/run-contacts.ts';
import { type LiveDeps, withCrm } from '../live-crm.ts';
import { MARKS, type MarkFieldValues } from './mark-fields.ts';
import { isMarkGroup } from './mark-groups.ts';

/** The maximum number of contacts that are counted. The file may contain more contacts than this number. */
const MOST_COUNTED = 20_000;

export interface PeoplePreview {
  /** A few contacts as donor-sync would send them. */
  persons: PersonDetails[];
  /** The number of counted contacts, and the number of contacts that donor-sync may send. */
  read: number;
  sendable: number;
  /** True if there are more contacts than donor-sync has counted. */
  hasMore: boolean;
  left: Readonly<Record<string, number>>;
  /** The contact fields that could mark people, by name. */
  fields: CrmField[];
  values: MarkFieldValues[];
  /** The CRM's own marks, which need no setting. */
  automatic: readonly AutomaticMark[];
  /** True until a user has defined the meaning of the options. Before that, no contact is shown. */
  isUnsaid: boolean;
}

/** The errors for options whose meaning is not defined. */
const VALUES_UNSAID: ReadonlySet<string> = new Set([
  ...['opt_out_values_missing', 'opt_out_values_unknown', 'crm_field_unsuitable'],
]);

/** Reads a few contacts. If the meaning of the options is not defined yet, reads only the options. */
export async function lookAtPeople(
  deps: LiveDeps,
  integration: Integration,
): Promise<PeoplePreview> {
  const read = (one: Integration, isUnsaid: boolean) =>
    withCrm(deps, one, async (crm): Promise<PeoplePreview> => {
      const { connector } = crm;
      const fields = await connector.describeFields();
      return {
        persons: isUnsaid ? [] : await samplePersons(crm, one.id),
        ...(await countPeople(connector)),
        fields: fields.filter(({ type }) => !connector.capabilities.remote || MARK_TYPES.has(type)),
        values: await countMarkValues(connector, integration, fields),
        automatic: connector.automaticMarks?.() ?? [],
        isUnsaid,
      };
    });
  try {
    return await read(integration, false);
  } catch (error) {
    if (!isDonorSyncError(error) || !VALUES_UNSAID.has(error.code)) throw error;
    const { contacts } = integration;
    const { unmarkedValues: _, deceasedValues: __, doNotContactValues: ___, ...others } = contacts;
    const none = { optOutField: null, optOutValues: null };
    const marks = { ...none, deceasedField: null, doNotContactField: null };
    return read({ ...integration, contacts: { ...others, ...marks } }, true);
  }
}

/** The types of fields that can be marks. In a file, every column is text. */
const MARK_TYPES: ReadonlySet<string> = new Set([
  ...['boolean', 'date', 'datetime', 'picklist', 'multiPicklist'],
]);

/** The maximum number of contacts that are read while the user waits. */
const MOST_VALUES_READ = 2_000;

/** Counts the options of the chosen fields in the first contacts. Unused options have the count 0. */
async function countMarkValues(
  connector: Connector,
  { contacts }: Integration,
  fields: readonly CrmField[],
): Promise<MarkFieldValues[]> {
  const chosen = MARKS.flatMap(({ kind, setting }) => {
    const name = contacts[setting];
    const field = fields.find((one) => one.name === name);
    const isList = field?.type === 'picklist' || field?.type === 'multiPicklist';
    return isList ? [{ kind, field }] : [];
  });
  if (chosen.length === 0) return [];
  const ids = await firstIds(connector, MOST_VALUES_READ);
  const counts = chosen.map(({ kind, field }) => ({
    kind,
    field,
    values: new Map(field.options.map((option) => [option, 0])),
  }));
  const names = [...new Set(chosen.map(({ field }) => field.name))];
  for (let at = 0; at < ids.length; at += connector.capabilities.readBatch) {
    const some = ids.slice(at, at + connector.capabilities.readBatch);
    for (const lookup of await connector.readByIds(some, names)) {
      if (lookup.state !== 'found') continue;
      for (const { field, values } of counts) {
        const text = lookup.values[field.name];
        const picked = typeof text === 'string' ? text.split(';') : [];
        for (const value of picked) values.set(value, (values.get(value) ?? 0) + 1);
      }
    }
  }
  return counts.map(({ kind, field, values }) => ({
    kind,
    field: field.name,
    of: ids.length,
    values: [...values].map(([value, count]) => ({ value, count })),
  }));
}

async function countPeople(
  connector: Pick<Connector, 'readPages'>,
): Promise<Pick<PeoplePreview, 'read' | 'sendable' | 'hasMore' | 'left'>> {
  const left: Record<string, number> = {};
  let [read, sendable] = [0, 0];
  for await (const { contacts } of connector.readPages(null)) {
    if (read >= MOST_COUNTED) return { read, sendable, hasMore: true, left };
    for (const contact of contacts) {
      const reason = getRefusal(contact);
      if (reason === null) sendable += 1;
      else left[reason] = (left[reason] ?? 0) + 1;
    }
    read += contacts.length;
  }
  return { read, sendable, hasMore: false, left };
}

export interface FieldExample {
  field: string;
  before: FieldValue;
  /** The value that a run would write, or null if it would keep the current value. */
  after: FieldValue;
  /** The reason for keeping the current value. Null if a run would write a value. */
  why: string | null;
}

export interface FieldsPreview {
  fields: CrmField[];
  findings: FieldMapFinding[];
  /**
   * Mapped fields that do not exist. On a CRM server, users create them with a button. In a file, a sync creates the
   * missing columns.
   */
  missing: string[];
  createsFields: boolean;
  isFile: boolean;
  examples: FieldExample[];
}

/** An invented person for the examples. */
const INVENTED: Profile = {
  donorId: '0123456789abcdef0123456789abcdef',
  name: { first: 'Avery', middle: null, last: 'Example' },
  profileUrl: 'https://example.org/donors/0123456789abcdef0123456789abcdef',
  age: 57,
  isDeceased: false,
  netWorth: { low: 1_000_000, high: 5_000_000 },
  capacity: { political: 5_000, nonprofit: 75_000 },
  education: ['Example University'],
  work: ['Example Holdings', 'Example Foundation'],
  bio: ['Avery Example chairs the Example Foundation.'],
};

const INVENTED_PATH = {
  strength: 0.72,
  introducer: 'Robin Example',
  network: 'Board',
  via: 'Example Holdings',
  sentence: 'Robin Example (Board) worked with Avery Example at Example Holdings.',
};

export function lookAtFields(
  deps: LiveDeps,
  integration: Integration,
  mappings: readonly FieldMapping[],
): Promise<FieldsPreview> {
  return withCrm(deps, integration, async ({ connector, clock }) => {
    const fields = await connector.describeFields();
    const known = new Set(fields.map(({ name }) => name));
    const { findings, fields: mapped } = await readFields(connector, mappings);
    const sample = await readOne(
      connector,
      mappings.map(({ to }) => to).filter((to) => known.has(to)),
    );
    const values = profileValues(INVENTED, clock.now(), INVENTED_PATH);
    const missing = mappings.flatMap(({ to }) => (known.has(to) ? [] : [to]));
    // Fields that users create with a button count as existing.
    const fitting = [...mapped, ...missing.map((name) => plainField(name))];
    const present = sample?.values ?? {};
    const made = mapProfile({
      values,
      mappings,
      fields: fitting,
      // Amounts are in the currency of the contact that the page shows.
      ...(sample === null
        ? {}
        : { amountIn: (usd, field) => amountFor(usd, field, sample.contact.currencies) }),
    });
    const diff = diffValues({ mapped: made.mapped, present, mappings, wasOurs: () => false });
    const { createsFields, remote } = connector.capabilities;
    return {
      fields,
      findings: findings.filter(({ field }) => !missing.includes(field)),
      missing,
      createsFields,
      isFile: !remote,
      examples: mappings.map(({ to }) => ({
        field: to,
        before: present[to] ?? null,
        after: diff.changes[to] ?? null,
        why: whyNot(to, diff, made.unfit),
      })),
    };
  });
}

function whyNot(
  field: string,
  { changes, equal, protected: kept }: ReturnType<typeof diffValues>,
  unfit: ReturnType<typeof mapProfile>['unfit'],
): string | null {
  if (changes[field] !== undefined) return null;
  if (kept.includes(field)) return 'stays unchanged because of its rule';
  if (equal.includes(field)) return 'already has this value';
  return unfit.find((one) => one.field === field)?.reason ?? 'is written once there is a value';
}

async function readOne(
  connector: Connector,
  fields: readonly string[],
): Promise<Extract<RecordLookup, { state: 'found' }> | null> {
  const [id] = (await connector.sampleIds?.(1)) ?? (await firstIds(connector, 1));
  if (id === undefined || fields.length === 0) return null;
  const [lookup] = await connector.readByIds([id], [...new Set(fields)]);
  return lookup?.state === 'found' ? lookup : null;
}

async function firstIds(connector: Connector, most: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { contacts } of connector.readPages(null)) {
    ids.push(...contacts.map(({ id }) => id));
    if (ids.length >= most) break;
  }
  return ids.slice(0, most);
}

/** Returns the groups that could become networks, the largest group first. Leaves out groups that are marks. */
export function lookAtGroups(deps: LiveDeps, integration: Integration): Promise<GroupSummary[]> {
  return withCrm(deps, integration, async ({ connector }) => {
    const groups = (await connector.listGroups()).filter(
      (group) => !isMarkGroup(group, integration.contacts),
    );
    return groups.toSorted((a, b) => (b.memberCount ?? 0) - (a.memberCount ?? 0));
  });
}

export interface PlanPreview {
  preview: Preview;
  persons: PersonDetails[];
  networks: NetworksForecast;
}

/** The maximum number of people that a preview or a trial shows. */
const MOST_SHOWN = 10;

export async function lookAtPlan(deps: LiveDeps, integration: Integration): Promise<PlanPreview> {
  const open = await deps.application.open(integration, deps.signal);
  try {
    const { mappings, partnerKey } = open;
    const crm = await openCrm(open.deps, null);
    const asked = { integration, mappings, partnerKey, full: false, only: null };
    const preview = await previewRun(crm, asked);
    const ids = preview.contacts.slice(0, MOST_SHOWN).map(({ crmId }) => crmId);
    const { remaining } = preview.credits.networks;
    return {
      preview,
      persons: await readPersons(crm, ids),
      networks: await forecastNetworks(crm, integration, remaining),
    };
  } finally {
    await open.close();
  }
}

/** A contact that the trial has written to. */
export interface TrialExample {
  id: string;
  name: string;
  /** The values, each with the label that CRM users see. */
  values: { label: string; value: FieldValue }[];
}

/** The most informative fields, in the order in which the page shows them. */
const TELLING: readonly string[] = [
  ...['netWorth.label', 'capacity.nonprofit', 'work.primary', 'education.primary'],
];

export async function lookAtTrial(
  deps: LiveDeps,
  integration: Integration,
  run: ListedRun,
): Promise<TrialExample[]> {
  const filter = { outcomes: ['written' as const], limit: MOST_SHOWN };
  const { contacts } = await readRunContacts(deps.application.store.reader, run, filter);
  if (contacts.length === 0) return [];
  const open = await deps.application.open(integration, deps.signal);
  try {
    const { connector } = await openCrm(open.deps, null);
    const telling = open.mappings.filter(({ from }) => TELLING.includes(from));
    const { fields } = await readFields(connector, telling);
    const ids = contacts.map(({ crmId }) => crmId);
    const lookups = await connector.readByIds(
      ids,
      fields.map(({ name }) => name),
    );
    return lookups.flatMap((lookup) =>
      lookup.state !== 'found'
        ? []
        : [
            {
              id: lookup.id,
              name: [lookup.contact.firstName, lookup.contact.lastName].join(' ').trim(),
              values: fields.map(({ name, label }) => ({
                label,
                value: lookup.values[name] ?? null,
              })),
            },
          ],
    );
  } finally {
    await open.close();
  }
}
