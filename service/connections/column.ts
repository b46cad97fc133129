/** A column of numbers that grows at its end. */

/** The forms in which columns are stored. */
export type Numbers = Uint32Array | Uint16Array | Uint8Array | Float64Array;

/** A column that is being filled. */
export interface GrowingColumn<T extends Numbers> {
  push(number: number): void;
  length(): number;
  /** The column as it is now, without spare capacity. */
  finish(): T;
}

const FIRST_CAPACITY = 1024;

/** An empty column; `make` creates numbers of the desired form. */
export function growingColumn<T extends Numbers>(make: (length: number) => T): GrowingColumn<T> {
  let numbers = make(FIRST_CAPACITY);
  let length = 0;
  return {
    push(number) {
      if (length === numbers.length) {
        const larger = make(2 * length);
        larger.set(numbers);
        numbers = larger;
      }
      numbers[length] = number;
      length += 1;
    },
    length: () => length,
    finish() {
      const exact = make(length);
      exact.set(numbers.subarray(0, length));
      return exact;
    },
  };
}
