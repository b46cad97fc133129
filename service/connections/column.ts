export type Numbers = Uint32Array | Uint16Array | Uint8Array | Float64Array;

/** A column of numbers to which numbers can be added. */
export interface GrowingColumn<T extends Numbers> {
  push(number: number): void;
  length(): number;
  /** Returns the column without spare capacity. After a call of `finish`, the column accepts no further numbers. */
  finish(): T;
}

/** A type of array, such as `Uint32Array`. */
interface Form<T extends Numbers> {
  readonly BYTES_PER_ELEMENT: number;
  new (space: ArrayBuffer): T;
}

const FIRST_CAPACITY = 1024;

/** Creates an empty column of this type. The column grows in place, so memory never contains the column twice. */
export function growingColumn<T extends Numbers>(NumbersOf: Form<T>): GrowingColumn<T> {
  const toBytes = (numbers: number) => numbers * NumbersOf.BYTES_PER_ELEMENT;
  let space = new ArrayBuffer(toBytes(FIRST_CAPACITY));
  let numbers = new NumbersOf(space);
  let length = 0;
  return {
    push(number) {
      if (length === numbers.length) {
        space = space.transfer(toBytes(2 * length));
        numbers = new NumbersOf(space);
      }
      numbers[length] = number;
      length += 1;
    },
    length: () => length,
    finish: () => new NumbersOf(space.transfer(toBytes(length))),
  };
}
