/** The CRMs of the demo. It shows the two most common ones, because each more would make it slower, or one that a user names. */
import type { FieldMapping, FieldSource } from '../../../../core/field-map.ts';

/** A CRM that the demo sets up and syncs. */
export interface DemoCrmKind {
  /** The kind of its connector and of its stand-in. */
  kind: string;
  /** What the stand-in is, for users. It follows the article “a”. */
  place: string;
  /** The group selectors of the board and the staff, in YAML's flow style. */
  board: string;
  staff: string;
  /** Added to the names of the networks, so that each client of the demo has its own. */
  networkSuffix: string;
  /** The colours of the networks of the board and the staff. */
  colors: readonly [string, string];
  /** The form of `crm.auth` for the key of the stand-in. */
  auth: { type: string; key: string };
  /** Other settings under `crm` that only the demo needs, one per line. */
  settings?: readonly string[];
  /** Options of the stand-in that only the demo needs. */
  own: Readonly<Record<string, unknown>>;
}

const BY_TOKEN = { type: 'token', key: 'token' };

export const DEMO_CRMS: readonly DemoCrmKind[] = [
  {
    kind: 'salesforce',
    place: 'Salesforce org',
    board: '{ campaign: "Board of Directors" }',
    staff: '{ campaign: Staff }',
    networkSuffix: '',
    colors: ['teal', 'orange'],
    auth: BY_TOKEN,
    own: {},
  },
  {
    kind: 'hubspot',
    place: 'HubSpot account',
    board: '{ list: "Board of Directors" }',
    staff: '{ list: Staff }',
    networkSuffix: ' in HubSpot',
    colors: ['blue', 'purple'],
    auth: BY_TOKEN,
    own: { searchLagMs: 0 },
  },
];

/** CRMs that the demo shows instead, if a user names one of them. */
const MORE_CRMS: readonly DemoCrmKind[] = [
  {
    kind: 'bloomerang',
    place: 'Bloomerang database',
    board: '{ group: "Board of Directors" }',
    staff: '{ group: Staff }',
    networkSuffix: '',
    colors: ['teal', 'orange'],
    auth: { type: 'apiKey', key: 'apiKey' },
    // The usual pace is for a real account.
    settings: ['requestsPerSecond: 0'],
    // No request can create these fields.
    own: { profileFields: true },
  },
];

/** The kinds of CRM that a user can name. */
export const DEMO_KINDS: readonly string[] = [...DEMO_CRMS, ...MORE_CRMS].map(({ kind }) => kind);

/** Returns the CRM with this kind alone, or the usual ones without a kind. */
export function chooseDemoCrms(kind: string | undefined): readonly DemoCrmKind[] {
  if (kind === undefined) return DEMO_CRMS;
  return [...DEMO_CRMS, ...MORE_CRMS].filter((crm) => crm.kind === kind);
}

/** The values of a profile that the demo shows for a contact. */
const SHOWN: readonly FieldSource[] = [
  'netWorth.label',
  'capacity.nonprofit',
  'work.primary',
  'education.primary',
];

/** Returns the fields of a CRM that the demo shows: for the profile, and for the person who can introduce the contact. */
export function toShownFields(mappings: readonly FieldMapping[]) {
  const findField = (source: FieldSource) =>
    mappings.filter(({ from }) => from === source).map(({ to }) => to);
  return {
    shownFields: SHOWN.flatMap(findField),
    pathField: findField('warmPath.sentence')[0] ?? '',
  };
}
