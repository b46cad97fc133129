import { InvalidArgumentError } from 'commander';
import { STRENGTH_FLOOR } from '../../insights/strength.ts';

/** Reads the value of an option that is the strength of a connection. */
export function parseStrength(text: string): number {
  const strength = Number(text);
  if (/^\d*\.?\d+$/.test(text) && strength >= STRENGTH_FLOOR && strength <= 1) return strength;
  throw new InvalidArgumentError(`Write a number from ${STRENGTH_FLOOR} to 1, for example 0.7.`);
}
