/** The six credit buckets (service document, section 2.7). Credits are never moved from one bucket to another. */
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
 * The bucket that pays for a request (section 4.4). Null if the request is free, and `unknown` if the document does not
 * say whether it costs anything. Until donor-sync knows if a request was charged, only free requests are repeated.
 */
export type Charge = Bucket | 'unknown' | null;
