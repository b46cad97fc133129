/** The CRMs of the demo. By default, the demo shows two CRMs, because each CRM makes the demo slower. */
import type { FieldMapping, FieldSource } from '../../../../core/field-map.ts';

/** A CRM that the demo sets up and syncs. */
export interface DemoCrmKind {
  /** The kind of the connector and the sandbox. */
  kind: string;
  /** True if the demo shows this CRM by default. */
  isUsual: boolean;
  /** The value of `crm.auth.type`, and the secret's name in the settings and in the ready line. */
  signIn: { type: string; secret: string };
  /** The name that users see for the sandbox. The name follows the article “a” or “the”. */
  place: string;
  /** The group selectors for the board and the staff, in YAML's flow style. */
  board: string;
  staff: string;
  networkSuffix: string;
  /** One colour for the board and one for the staff. */
  colors: readonly [string, string];
  settings?: readonly string[];
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
    // The usual request rate is meant for a real account.
    settings: ['requestsPerSecond: 0'],
    // No API request can create the fields of a profile in this CRM.
    own: { profileFields: true },
  },
];

/** Returns the demo's CRMs with these kinds. If no kinds are given, returns the default CRMs. */
export function findDemoCrms(kinds: readonly string[]): readonly DemoCrmKind[] {
  return DEMO_CRMS.filter(({ kind, isUsual }) =>
    kinds.length === 0 ? isUsual : kinds.includes(kind),
  );
}

/** The profile values that the demo shows. */
const SHOWN: readonly FieldSource[] = [
  'netWorth.label',
  'capacity.nonprofit',
  'work.primary',
  'education.primary',
];

/** Returns the fields that the demo shows, including the member who can introduce the contact. */
export function toShownFields(mappings: readonly FieldMapping[]) {
  const findField = (source: FieldSource) =>
    mappings.filter(({ from }) => from === source).map(({ to }) => to);
  return {
    shownFields: SHOWN.flatMap(findField),
    pathField: findField('warmPath.sentence')[0] ?? '',
  };
}
