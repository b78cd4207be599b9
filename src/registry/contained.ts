import { Observable, type Observer, type Operator, type OperatorFunction, type Subscription } from 'rxjs';

type Report = (where: string, fault: unknown) => void;

/**
 * An observable whose listeners cannot hurt the runtime: what a listener throws, or rejects with, is reported. RxJS alone
 * would throw it again from a timer, which ends the process. What `pipe` makes of it keeps the property; an observable that
 * the caller builds around it (`merge(events$, …)`) is the caller's own.
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

  /** Some operators, and those that callers write, do not lift but build a new observable. */
  override pipe(...operators: readonly OperatorFunction<never, never>[]): Observable<never> {
    const piped: unknown = super.pipe(...(operators as unknown as []));
    if (piped instanceof ContainedObservable || !(piped instanceof Observable)) return piped as Observable<never>;
    return new ContainedObservable<never>(piped, this.#report);
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
    if (isSubscriber(observer)) return super.subscribe(observer);
    return super.subscribe({
      next: (value) => this.#call(() => observer.next?.(value)),
      error: (fault) =>
        observer.error === undefined ? this.#report('listener', fault) : this.#call(() => observer.error?.(fault)),
      complete: () => this.#call(() => observer.complete?.()),
    });
  }

  #call(listener: () => unknown): void {
    try {
      const result = listener();
      if (isThenable(result)) result.then(undefined, (fault: unknown) => this.#report('listener', fault));
    } catch (fault) {
      this.#report('listener', fault);
    }
  }
}

/** An operator's own subscriber, not a listener; a subject has `isStopped` too, but nothing can be added to it. */
function isSubscriber(observer: object): boolean {
  return 'isStopped' in observer && 'add' in observer;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
