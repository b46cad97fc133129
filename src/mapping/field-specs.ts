import type { FieldSpec } from '../core/crm-field.ts';
import type { FieldSource } from '../core/field-map.ts';
import { STATUS_WORDS } from '../core/sync-status.ts';
import { MONEY_BANDS } from './money-bands.ts';

/**
 * Returns the best field for the values of a source, for `fields create`. Labels have at most 40 characters, because
 * some CRMs do not allow more. A strength is a percent field, so 0.72 is shown as 72.
 */
export function fieldSpecFor(source: FieldSource, fieldName: string): FieldSpec {
  return { name: fieldName, ...SPECS[source] };
}

/** The length of the longest value that all supported CRMs store in a one-line field. */
const LINE_LENGTH = 255;

/** The length of a long text field. This length is enough for a biography and is the usual maximum in CRMs. */
const LONG_TEXT_LENGTH = 32_768;

const SPECS: Readonly<Record<FieldSource, Omit<FieldSpec, 'name'>>> = {
  donorId: {
    label: 'Donor ID',
    type: 'text',
    maxLength: 32,
    description: "The person's id in the Partner Data Service.",
  },
  profileUrl: {
    label: 'Donor Profile',
    type: 'url',
    description: "Opens the person's profile in the Partner Data Service.",
  },
  'name.full': {
    label: 'Donor Name',
    type: 'text',
    maxLength: LINE_LENGTH,
    description: 'The full name in the profile, to compare with the name of this contact.',
  },
  age: { label: 'Donor Age', type: 'integer', description: 'Age in years, as the profile has it.' },
  'netWorth.low': {
    label: 'Donor Net Worth (low)',
    type: 'currency',
    description: 'The lower bound of the estimated net worth, in US dollars.',
  },
  'netWorth.high': {
    label: 'Donor Net Worth (high)',
    type: 'currency',
    description: 'The upper bound of the estimated net worth, in US dollars.',
  },
  'netWorth.label': {
    label: 'Donor Net Worth',
    type: 'text',
    maxLength: 40,
    options: MONEY_BANDS,
    description: 'The estimated net worth as a range, for example $1M – $5M.',
  },
  'capacity.nonprofit': {
    label: 'Donor Giving Capacity',
    type: 'currency',
    description: 'What the person could give to nonprofits, in US dollars.',
  },
  'capacity.political': {
    label: 'Donor Political Capacity',
    type: 'currency',
    description: 'What the person could give to political causes, in US dollars.',
  },
  'capacity.highest': {
    label: 'Donor Capacity (highest)',
    type: 'currency',
    description: 'The larger of the giving capacities in the profile, in US dollars.',
  },
  'work.primary': {
    label: 'Donor Employer',
    type: 'text',
    maxLength: LINE_LENGTH,
    description: 'The first company in the profile.',
  },
  'work.all': {
    label: 'Donor Work',
    type: 'longText',
    maxLength: LONG_TEXT_LENGTH,
    description: 'All companies in the profile, with semicolons between them.',
  },
  'education.primary': {
    label: 'Donor School',
    type: 'text',
    maxLength: LINE_LENGTH,
    description: 'The first school in the profile.',
  },
  'education.all': {
    label: 'Donor Education',
    type: 'longText',
    maxLength: LONG_TEXT_LENGTH,
    description: 'All schools in the profile, with semicolons between them.',
  },
  bio: {
    label: 'Donor Biography',
    type: 'longText',
    maxLength: LONG_TEXT_LENGTH,
    description: 'What the profile tells about the person.',
  },
  enhancedAt: {
    label: 'Donor Enhanced At',
    type: 'datetime',
    description: 'When the profile was last fetched.',
  },
  'warmPath.strength': {
    label: 'Warm Path Strength',
    type: 'percent',
    description: 'How strong the best connection to one of our networks is, in percent.',
  },
  'warmPath.introducer': {
    label: 'Warm Path Introducer',
    type: 'text',
    maxLength: LINE_LENGTH,
    description: 'Who in our networks could make the introduction.',
  },
  'warmPath.network': {
    label: 'Warm Path Network',
    type: 'text',
    maxLength: LINE_LENGTH,
    description: 'The network that the introducer belongs to, for example Board.',
  },
  'warmPath.via': {
    label: 'Warm Path Via',
    type: 'text',
    maxLength: LINE_LENGTH,
    description: 'What the person and the introducer share, for example an employer.',
  },
  'warmPath.sentence': {
    label: 'Warm Path',
    type: 'longText',
    maxLength: LONG_TEXT_LENGTH,
    description: 'The best connection to one of our networks, in one sentence.',
  },
  'sync.status': {
    label: 'Donor Sync Status',
    type: 'text',
    maxLength: 40,
    options: Object.values(STATUS_WORDS),
    description: 'Where donor-sync stands with this contact: whether its profile is written here.',
  },
  'sync.statusDate': {
    label: 'Donor Sync Status Since',
    type: 'datetime',
    description: 'Since when donor-sync stands there with this contact.',
  },
};
