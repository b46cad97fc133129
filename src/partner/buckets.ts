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

/**
 * The bucket that a request takes credits from (section 4.4); `unknown` if the document does not
 * say whether it costs anything; null if it is free. All requests except the free ones are never
 * repeated while it is unknown whether they were charged.
 */
export type Charge = Bucket | 'unknown' | null;
