/**
 * The six credit buckets (service document, section 2.7). The service never moves credits from one bucket to another.
 */
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
 * state the cost. Until donor-sync knows the cost of a request, it repeats only free requests.
 */
export type Charge = Bucket | 'unknown' | null;
