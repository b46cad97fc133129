/** The kinds of organisations that real people belong to. */

/** The kinds of the public record (see data/public-record). */
export const BODY_KINDS = [
  'school',
  'law_school',
  'court',
  'government',
  'local_government',
  'state_government',
  'federal_government',
  'prosecutor',
  'public_defender',
  'legislature',
  'congress_office',
  'committee',
  'military',
  'nonprofit',
  'company',
  'other',
] as const;

export type BodyKind = (typeof BODY_KINDS)[number];
