import { Observable, type Observer, type Operator, type Subscription } from 'rxjs';

type Report = (where: string, fault: unknown) => void;

/**
 * An observable whose listeners cannot hurt the runtime: what a listener throws, or rejects with, is reported. RxJS alone
 * would throw it again from a timer, which ends the process. Operators keep the property.
 */
export function contained<Value>(source: Observable<Value>, report: Report): Observable<Value> {
  return new ContainedObservable(source, report);
}

class ContainedObservable<Value> extends Observable<Value> {
  readonly #report: Report;

  constructor(source: Observable<unknown>, report: Report, operator?: Operator<unknown, Value>) {
    super();
    this.source = source;
    this.operator = operator as Operator<unknown, Value>;
    this.#report = report;
  }

  override lift<Result>(operator?: Operator<Value, Result>): Observable<Result> {
    return new ContainedObservable<Result>(this, this.#report, operator as Operator<unknown, Result>);
  }

  override subscribe(
    next?: Partial<Observer<Value>> | ((value: Value) => void) | null,
    error?: ((fault: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    const observer: Partial<Observer<Value>> =
      typeof next === 'function' || next === null || next === undefined
        ? { ...(next && { next }), ...(error && { error }), ...(complete && { complete }) }
        : next;
    if ('isStopped' in observer) return super.subscribe(observer); // an operator's own subscriber, not a listener
    return super.subscribe({
      next: (value) => this.#call(() => observer.next?.(value)),
      error: (fault) => this.#call(() => observer.error?.(fault)),
      complete: () => this.#call(() => observer.complete?.()),
    });
  }

  #call(listener: () => unknown): void {
    try {
      const result = listener();
      if (result instanceof Promise) result.catch((fault: unknown) => this.#report('listener', fault));
    } catch (fault) {
      this.#report('listener', fault);
    }
  }
}
