/** A person's profile from the service, with donor-sync's property names. Missing values are null or empty. */
export interface Profile {
  /** The donor's ID, with 32 hexadecimal characters. */
  donorId: string;
  name: { first: string | null; middle: string | null; last: string | null };
  /** The donor's page in the service's web application. */
  profileUrl: string | null;
  age: number | null;
  isDeceased: boolean;
  /** The probability that the match is correct, from 0 to 1. Omitted if the service does not report it. */
  probability?: number;
  /** The range of the net worth, in whole US dollars. */
  netWorth: { low: number; high: number } | null;
  /** The estimated giving capacity of the person, in US dollars. */
  capacity: { political: number | null; nonprofit: number | null };
  /** The names of schools, in the service's order. */
  education: readonly string[];
  /** The names of companies, in the service's order. */
  work: readonly string[];
  bio: readonly string[];
}
