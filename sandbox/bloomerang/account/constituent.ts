/** The stored data of a constituent, without its addresses, email addresses and phones. */
import { z } from 'zod';

export const RESTRICTIONS = ['DoNotCall', 'DoNotMail', 'DoNotSolicit'] as const;

const text = z.string().nullish();

/** The parts of a constituent that a client can write, which the specification calls `ConstituentBase`. */
export const writablePartsSchema = z.object({
  Type: z.enum(['Individual', 'Organization']).optional(),
  Status: z.enum(['Active', 'Inactive', 'Deceased']).optional(),
  FirstName: text,
  LastName: text,
  MiddleName: text,
  Prefix: text,
  Suffix: text,
  FullName: text,
  InformalName: text,
  FormalName: text,
  EnvelopeName: text,
  RecognitionName: text,
  JobTitle: text,
  Employer: text,
  Website: text,
  FacebookId: text,
  TwitterId: text,
  LinkedInId: text,
  Gender: z.enum(['Male', 'Female', 'Other', '']).nullish(),
  Birthdate: text,
});

export type WritableParts = z.output<typeof writablePartsSchema>;

/** The names of the text parts that a client can write. */
export const TEXT_PARTS = [
  ...(['FirstName', 'LastName', 'MiddleName', 'Prefix', 'Suffix', 'InformalName'] as const),
  ...([
    'FormalName',
    'EnvelopeName',
    'RecognitionName',
    'JobTitle',
    'Employer',
    'Website',
  ] as const),
  ...(['FacebookId', 'TwitterId', 'LinkedInId', 'Birthdate'] as const),
];

/** The body of a constituent as the account stores it. */
export interface Body extends WritableParts {
  Status: 'Active' | 'Inactive' | 'Deceased';
  HouseholdId?: number | null;
  PreferredCommunicationChannel?: 'Email' | 'Phone' | 'TextMessage' | 'Mail' | null;
  CommunicationRestrictions: readonly (typeof RESTRICTIONS)[number][];
  CommunicationRestrictionsUpdateReason?: string | null;
  EmailInterestType: 'All' | 'Custom' | 'OptedOut';
  EmailInterestsUpdateReason?: string | null;
  groupIds: readonly number[];
  /** Values by the ID of the custom field: a string, or the IDs of choices. */
  custom: Readonly<Record<string, string | readonly number[]>>;
}

/** A row of the table of constituents, with its parsed body. */
export interface Constituent {
  id: number;
  accountNumber: number;
  type: 'Individual' | 'Organization';
  createdAtMs: number;
  modifiedAtMs: number;
  modifiedBy: string;
  body: Body;
}

/** The stored body of a constituent that has no data yet. */
export const BLANK_BODY: Body = {
  Status: 'Active',
  CommunicationRestrictions: [],
  EmailInterestType: 'All',
  groupIds: [],
  custom: {},
};

/** Returns an individual's full name, which Bloomerang composes, or an organization's own name. */
export function fullName({
  Type,
  FullName,
  FirstName,
  MiddleName,
  LastName,
  Suffix,
}: WritableParts): string {
  if (Type === 'Organization') return FullName ?? '';
  return [FirstName, MiddleName, LastName, Suffix].filter(Boolean).join(' ');
}
