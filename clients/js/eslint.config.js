import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'node_modules'] },
  ...tseslint.configs.strict,
  {
    rules: {
      eqeqeq: 'error',
      'no-restricted-properties': ['error', { object: 'Math', property: 'random', message: 'not private' }],
      'no-restricted-globals': ['error', 'eval'],
      '@typescript-eslint/no-non-null-assertion': 'off', // indices are checked before, or by their construction
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      'prefer-const': 'error',
      'no-self-compare': 'off',
    },
  },
);
