"""What calls cost: a dated table of prices, and arithmetic that never guesses."""
