export { type BalanceStep, imbalanceOf } from '../../src/testing/conformance/driver/balance.ts';
