/** The custom fields that an administrator creates according to the product's guide. */
import type { NewCustomField } from './account/custom-fields.ts';

const TEXTS = [
  ...['Donor ID', 'Donor Profile', 'Donor Net Worth', 'Donor Employer', 'Donor Work'],
  ...['Donor School', 'Donor Education', 'Donor Biography', 'Warm Path', 'Warm Path Introducer'],
  ...['Warm Path Network', 'Warm Path Via'],
];

const AMOUNTS = [
  ...['Donor Net Worth Low', 'Donor Net Worth High'],
  ...['Donor Giving Capacity', 'Donor Political Capacity'],
];

export const PROFILE_FIELDS: readonly NewCustomField[] = [
  ...TEXTS.map((name) => ({ name })),
  ...AMOUNTS.map((name) => ({ name, dataType: 'Currency' as const })),
  { name: 'Donor Age', dataType: 'Decimal' },
  { name: 'Warm Path Strength', dataType: 'Decimal' },
  { name: 'Donor Enhanced At', dataType: 'Date' },
];
