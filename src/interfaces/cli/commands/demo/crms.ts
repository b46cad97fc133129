/**
 * The CRMs of the demo. It shows the two most common ones unless users choose others, because each further CRM makes it
 * slower.
 */
import type { FieldMapping, FieldSource } from '../../../../core/field-map.ts';

/** A CRM that the demo sets up and syncs. */
export interface DemoCrmKind {
  /** The kind of its connector and of its stand-in. */
  kind: string;
  /** True if the demo shows it without being told to. */
  isUsual: boolean;
  /** `crm.auth.type` of the settings, and the secret's name there and in the stand-in's line. */
  signIn: { type: string; secret: string };
  /** The name of the stand-in for users. It follows the article “a”. */
  place: string;
  /** The group selectors of the board and the staff, in YAML's flow style. */
  board: string;
  staff: string;
  /** Added to the networks' names, so that each of the demo's clients has its own. */
  networkSuffix: string;
  /** The colours of the networks of the board and the staff. */
  colors: readonly [string, string];
  /** Other settings under `crm` that only the demo needs, one per line. */
  settings?: readonly string[];
  /** Options of the stand-in that only the demo needs. */
  own: Readonly<Record<string, unknown>>;
}

export const DEMO_CRMS: readonly DemoCrmKind[] = [
  {
    kind: 'salesforce',
    isUsual: true,
    signIn: { type: 'token', secret: 'token' },
    place: 'Salesforce org',
    board: '{ campaign: "Board of Directors" }',
    staff: '{ campaign: Staff }',
    networkSuffix: '',
    colors: ['teal', 'orange'],
    own: {},
  },
  {
    kind: 'hubspot',
    isUsual: true,
    signIn: { type: 'token', secret: 'token' },
    place: 'HubSpot account',
    board: '{ list: "Board of Directors" }',
    staff: '{ list: Staff }',
    networkSuffix: ' in HubSpot',
    colors: ['blue', 'purple'],
    own: { searchLagMs: 0 },
  },
  {
    kind: 'civicrm',
    isUsual: false,
    signIn: { type: 'apiKey', secret: 'apiKey' },
    place: 'CiviCRM site',
    board: '{ group: "Board of Directors" }',
    staff: '{ group: Staff }',
    networkSuffix: ' in CiviCRM',
    colors: ['teal', 'orange'],
    own: {},
  },
  {
    kind: 'bloomerang',
    isUsual: false,
    signIn: { type: 'apiKey', secret: 'apiKey' },
    place: 'Bloomerang database',
    board: '{ group: "Board of Directors" }',
    staff: '{ group: Staff }',
    networkSuffix: ' in Bloomerang',
    colors: ['blue', 'purple'],
    // The usual pace is for a real account.
    settings: ['requestsPerSecond: 0'],
    // No request can create these fields.
    own: { profileFields: true },
  },
];

/** Returns the CRMs of these kinds. If none are given, returns the usual ones. */
export function findDemoCrms(kinds: readonly string[]): readonly DemoCrmKind[] {
  return DEMO_CRMS.filter(({ kind, isUsual }) =>
    kinds.length === 0 ? isUsual : kinds.includes(kind),
  );
}

/** The values of a profile that the demo shows for a contact. */
const SHOWN: readonly FieldSource[] = [
  'netWorth.label',
  'capacity.nonprofit',
  'work.primary',
  'education.primary',
];

/**
 * Returns the fields of a CRM that the demo shows: for the profile, and for the person who can introduce the contact.
 */
export function toShownFields(mappings: readonly FieldMapping[]) {
  const findField = (source: FieldSource) =>
    mappings.filter(({ from }) => from === source).map(({ to }) => to);
  return {
    shownFields: SHOWN.flatMap(findField),
    pathField: findField('warmPath.sentence')[0] ?? '',
  };
}
