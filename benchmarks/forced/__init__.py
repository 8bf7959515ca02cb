"""Random models of real shapes that follow given texts token by token: true speeds without true weights."""
