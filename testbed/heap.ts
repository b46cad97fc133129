/** A priority queue. Adding or removing an item takes logarithmic time. */
export interface Heap<One> {
  push(one: One): void;
  /** Removes and returns the first item. Returns undefined if the queue is empty. */
  pop(): One | undefined;
}

/** Creates a binary heap, in which each item comes before the two items below it. */
export function createHeap<One>(isBefore: (one: One, other: One) => boolean): Heap<One> {
  const heap: One[] = [];
  return {
    push(one) {
      let index = heap.push(one) - 1;
      while (index > 0) {
        const parentIndex = (index - 1) >> 1;
        const parent = heap[parentIndex];
        if (parent === undefined || !isBefore(one, parent)) break;
        heap[index] = parent;
        index = parentIndex;
      }
      heap[index] = one;
    },
    pop() {
      const [first] = heap;
      const last = heap.pop();
      if (first === undefined || last === undefined || heap.length === 0) return first;
      let index = 0;
      for (;;) {
        const leftIndex = index * 2 + 1;
        const left = heap[leftIndex];
        if (left === undefined) break;
        const right = heap[leftIndex + 1];
        const isRight = right !== undefined && isBefore(right, left);
        const child = isRight ? right : left;
        if (!isBefore(child, last)) break;
        heap[index] = child;
        index = isRight ? leftIndex + 1 : leftIndex;
      }
      heap[index] = last;
      return first;
    },
  };
}
