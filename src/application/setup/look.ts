/** What a set-up shows of a CRM while a person looks: nothing of it is kept. */
import type { Connector, GroupSummary } from '../../../connectors/contract.ts';
import { type CrmField, type FieldValue, plainField } from '../../core/crm-field.ts';
import type { FieldMapping } from '../../core/field-map.ts';
import type { Integration } from '../../core/integration.ts';
import type { PersonDetails } from '../../core/person.ts';
import type { Profile } from '../../core/profile.ts';
import { readFields } from '../../fields/describe.ts';
import type { FieldMapFinding } from '../../mapping/check-field-map.ts';
import { diffValues } from '../../mapping/diff-values.ts';
import { mapProfile } from '../../mapping/map-profile.ts';
import { profileValues } from '../../mapping/profile-values.ts';
import { openCrm } from '../../run/crm-account.ts';
import type { RunKey } from '../../store/runs/run-rows.ts';
import { refusalOf } from '../../sync/plan.ts';
import { type Preview, previewRun } from '../../sync/preview.ts';
import { readPersons, samplePersons } from '../../sync/sample-persons.ts';
import { readRunContacts } from '../../views/run-contacts.ts';
import { type LiveDeps, withCrm } from '../live-crm.ts';

/** Contacts that are counted while a person waits; there may be more. */
const MOST_COUNTED = 20_000;

/** Who would be sent. */
export interface PeopleLook {
  /** A few, as they would be sent. */
  persons: PersonDetails[];
  /** Contacts that were counted, and of these the ones that may be sent. */
  read: number;
  sendable: number;
  /** True if there are more than were counted. */
  hasMore: boolean;
  /** Why the others are left out, and how many. */
  left: Readonly<Record<string, number>>;
  /** The fields of a contact that could mark people, by name. */
  fields: CrmField[];
}

export function lookAtPeople(deps: LiveDeps, integration: Integration): Promise<PeopleLook> {
  return withCrm(deps, integration, async (crm) => ({
    persons: await samplePersons(crm, integration.id),
    ...(await countPeople(crm.connector)),
    fields: await crm.connector.describeFields(),
  }));
}

async function countPeople(
  connector: Pick<Connector, 'readPages'>,
): Promise<Omit<PeopleLook, 'persons' | 'fields'>> {
  const left: Record<string, number> = {};
  let [read, sendable] = [0, 0];
  for await (const { contacts } of connector.readPages(null)) {
    if (read >= MOST_COUNTED) return { read, sendable, hasMore: true, left };
    for (const contact of contacts) {
      const reason = refusalOf(contact);
      if (reason === null) sendable += 1;
      else left[reason] = (left[reason] ?? 0) + 1;
    }
    read += contacts.length;
  }
  return { read, sendable, hasMore: false, left };
}

/** One line of the field map on one contact of the CRM, with the profile of an invented person. */
export interface FieldExample {
  field: string;
  before: FieldValue;
  /** What would be written; null if the value stays. */
  after: FieldValue;
  /** Why nothing is written; null if something is. */
  why: string | null;
}

export interface FieldsLook {
  fields: CrmField[];
  findings: FieldMapFinding[];
  /** Mapped fields that are not there: a server's are created by a button, a file's by the sync. */
  missing: string[];
  createsFields: boolean;
  isFile: boolean;
  examples: FieldExample[];
}

/** A person who does not exist, for examples. */
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
): Promise<FieldsLook> {
  return withCrm(deps, integration, async ({ connector, clock }) => {
    const fields = await connector.describeFields();
    const known = new Set(fields.map(({ name }) => name));
    const { findings, fields: mapped } = await readFields(connector, mappings);
    const present = await readOne(
      connector,
      mappings.map(({ to }) => to).filter((to) => known.has(to)),
    );
    const values = profileValues(INVENTED, clock.now(), INVENTED_PATH);
    const missing = mappings.flatMap(({ to }) => (known.has(to) ? [] : [to]));
    // As if they had been created, which is a button away.
    const fitting = [...mapped, ...missing.map((name) => plainField(name))];
    const made = mapProfile({ values, mappings, fields: fitting });
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
  if (kept.includes(field)) return 'stays as it is, by the rule';
  if (equal.includes(field)) return 'is the same already';
  return unfit.find((one) => one.field === field)?.reason ?? 'is written when there is a value';
}

/** The values of one contact, any that is there. */
async function readOne(
  connector: Connector,
  fields: readonly string[],
): Promise<Readonly<Record<string, FieldValue>>> {
  const [id] = (await connector.sampleIds?.(1)) ?? (await firstIds(connector));
  if (id === undefined || fields.length === 0) return {};
  const [lookup] = await connector.readByIds([id], [...new Set(fields)]);
  return lookup?.state === 'found' ? lookup.values : {};
}

async function firstIds(connector: Connector): Promise<string[]> {
  for await (const { contacts } of connector.readPages(null)) {
    if (contacts.length > 0) return contacts.slice(0, 1).map(({ id }) => id);
  }
  return [];
}

/** The groups that could become networks, the largest first. */
export function lookAtGroups(deps: LiveDeps, integration: Integration): Promise<GroupSummary[]> {
  return withCrm(deps, integration, async ({ connector }) => {
    const groups = await connector.listGroups();
    return groups.toSorted((a, b) => (b.memberCount ?? 0) - (a.memberCount ?? 0));
  });
}

/** What a run would do now, and the first persons of it. */
export interface PlanLook {
  preview: Preview;
  persons: PersonDetails[];
}

/** So many persons of a plan, and contacts of a trial, are looked at. */
const MOST_SHOWN = 10;

export async function lookAtPlan(deps: LiveDeps, integration: Integration): Promise<PlanLook> {
  const open = await deps.application.open(integration, deps.signal);
  try {
    const { mappings, partnerKey } = open;
    const crm = await openCrm(open.deps, null);
    const asked = { integration, mappings, partnerKey, full: false, only: null };
    const preview = await previewRun(crm, asked);
    const ids = preview.contacts.slice(0, MOST_SHOWN).map(({ crmId }) => crmId);
    return { preview, persons: await readPersons(crm, ids) };
  } finally {
    await open.close();
  }
}

/** A contact that a trial has written into. */
export interface TrialExample {
  id: string;
  name: string;
  /** What stands in the mapped fields now, by the name of the field on the screen. */
  values: { label: string; value: FieldValue }[];
}

/** What is most telling, first. */
const TELLING: readonly string[] = [
  ...['netWorth.label', 'capacity.nonprofit', 'work.primary', 'education.primary'],
];

export async function lookAtTrial(
  deps: LiveDeps,
  integration: Integration,
  run: RunKey,
): Promise<TrialExample[]> {
  const filter = { outcomes: ['written' as const], limit: MOST_SHOWN };
  const { contacts } = await readRunContacts(deps.application.store, run, filter);
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
