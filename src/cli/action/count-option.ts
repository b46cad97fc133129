import { InvalidArgumentError } from 'commander';

/** Reads the value of an option that is a whole number from 1 up. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('Write a whole number from 1 up, for example 20.');
}
