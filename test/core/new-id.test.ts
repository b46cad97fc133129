import { describe, expect, it } from 'vitest';
import { newId } from '../../src/core/new-id.ts';

describe('newId', () => {
  it('is a UUID of version 7 that begins with its time', () => {
    const id = newId(Date.UTC(2026, 10, 20));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.UTC(2026, 10, 20));
  });

  it('is another one each time, and sorts by time', () => {
    const ids = Array.from({ length: 1_000 }, (_, ms) => newId(1_000_000 + ms));
    expect(new Set(ids).size).toBe(1_000);
    expect(ids.toSorted()).toEqual(ids);
  });
});
