/** The six credit buckets (service document, section 2.7); credits never move between them. */
export const BUCKETS = [
  'donors',
  'enhancements',
  'exports',
  'lists',
  'networks',
  'searches',
] as const;

export type Bucket = (typeof BUCKETS)[number];
